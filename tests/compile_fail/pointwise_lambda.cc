// EXPECT FIRST: a function of std:: takes one number
#include <cmath>

#include "gyre/autodiff/ops/pointwise.h"

using namespace gyre;

#ifdef GYRE_FAIL
Var Loss(Var x) {
  return pointwise([](auto a) { return std::exp(a); }, x);
}
#else
Var Loss(Var x) {
  return pointwise([](auto a) { return math::exp(a); }, x);
}
#endif
