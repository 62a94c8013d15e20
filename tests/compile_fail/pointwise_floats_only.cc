// EXPECT FIRST: operator() must be a template over the number type T
#include "gyre/autodiff/ops/pointwise.h"

using namespace gyre;

struct Difference {
#ifdef GYRE_FAIL
  float operator()(float pred, float target) const { return pred - target; }
#else
  template <class T>
  T operator()(const T& pred, const T& target) const {
    return pred - target;
  }
#endif
};

Var Loss(Var a, Var b) { return pointwise(Difference{}, a, b); }
