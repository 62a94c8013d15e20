// EXPECT FIRST: if, ?:, && and || ask one question
#include "gyre/autodiff/ops/pointwise.h"

using namespace gyre;

struct Hinge {
  template <class T>
  T operator()(const T& pred, const T& target) const {
    const T e = pred - target;
#ifdef GYRE_FAIL
    if (e > 0.0f) return e;
    return 0.5f * e;
#else
    return math::select(e > 0.0f, e, 0.5f * e);
#endif
  }
};

Var Loss(Var a, Var b) { return pointwise(Hinge{}, a, b); }
