// EXPECT FIRST: T is made from no constant
#include "gyre/autodiff/ops/pointwise.h"

using namespace gyre;

struct Shifted {
  template <class T>
  T operator()(const T& x) const {
#ifdef GYRE_FAIL
    return x - T(0.5f);
#else
    return x - 0.5f;
#endif
  }
};

Var Loss(Var x) { return pointwise(Shifted{}, x); }
