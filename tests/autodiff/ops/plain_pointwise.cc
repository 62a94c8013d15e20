// Compiled as a user's source is, for the plainest processor: see
// tests/autodiff/CMakeLists.txt.

#include "tests/autodiff/ops/plain_pointwise.h"

#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/models/losses.h"

#if defined(GYRE_SIMD) || defined(XSIMD_VERSION_MAJOR)
#error "this source stands for one of a user without flags"
#endif

namespace gyre::internal::inline tests {

Var PlainHuber(Var pred, Traced target) {
  return pointwise(Huber{0.5f}, pred, target);
}
Var PlainLogCosh(Var pred, Traced target) {
  return pointwise(LogCosh{}, pred, target);
}
Var PlainAsymmetric(Var pred, Var target, Var scale) {
  return pointwise(Asymmetric{}, pred, target, scale);
}
Var PlainFirst(Var a, Var b) { return pointwise(First{}, a, b); }
Var PlainLambda(Var a) {
  return pointwise([](auto x) { return math::exp(-0.5f * x * x); }, a);
}

}  // namespace gyre::internal::inline tests
