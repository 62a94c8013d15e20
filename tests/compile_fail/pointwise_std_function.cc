// EXPECT FIRST: a function of std:: takes one number
#include <cmath>

#include "gyre/autodiff/ops/pointwise.h"

using namespace gyre;

struct LogError {
  template <class T>
  T operator()(const T& pred, const T& target) const {
#ifdef GYRE_FAIL
    return std::log(pred) - target;
#else
    return math::log(pred) - target;
#endif
  }
};

Var Loss(Var a, Var b) { return pointwise(LogError{}, a, b); }
