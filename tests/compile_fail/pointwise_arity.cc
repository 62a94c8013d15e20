// EXPECT FIRST: operator() const must take as many numbers
#include "gyre/autodiff/ops/pointwise.h"

using namespace gyre;

struct Difference {
  template <class T>
  T operator()(const T& pred, const T& target) const {
    return pred - target;
  }
};

#ifdef GYRE_FAIL
Var Loss(Var a, Var) { return pointwise(Difference{}, a); }
#else
Var Loss(Var a, Var b) { return pointwise(Difference{}, a, b); }
#endif
