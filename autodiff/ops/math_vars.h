// The words of namespace math (core/math.h), said to Vars: a pointwise
// functor can be traced as operations as well as compiled for SIMD.

#ifndef GYRE_AUTODIFF_OPS_MATH_VARS_H_
#define GYRE_AUTODIFF_OPS_MATH_VARS_H_

#include "gyre/autodiff/ops/elementary.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/core/math.h"

namespace gyre {

// Operations stand at the line of the word.
template <>
struct math::WithLine<Var> {
  using type = Traced;
};

inline Var GyreMath(math::AbsFn, const Traced& x) { return abs(x); }
inline Var GyreMath(math::NegFn, const Traced& x) { return -x; }
inline Var GyreMath(math::SignFn, const Traced& x) { return sign(x); }
inline Var GyreMath(math::SquareFn, const Traced& x) { return square(x); }
inline Var GyreMath(math::SqrtFn, const Traced& x) { return sqrt(x); }
inline Var GyreMath(math::RsqrtFn, const Traced& x) { return rsqrt(x); }
inline Var GyreMath(math::ReciprocalFn, const Traced& x) {
  return reciprocal(x);
}
inline Var GyreMath(math::ExpFn, const Traced& x) { return exp(x); }
inline Var GyreMath(math::Expm1Fn, const Traced& x) { return expm1(x); }
inline Var GyreMath(math::LogFn, const Traced& x) { return log(x); }
inline Var GyreMath(math::Log1pFn, const Traced& x) { return log1p(x); }
inline Var GyreMath(math::Log2Fn, const Traced& x) { return log2(x); }
inline Var GyreMath(math::SinFn, const Traced& x) { return sin(x); }
inline Var GyreMath(math::CosFn, const Traced& x) { return cos(x); }
inline Var GyreMath(math::TanFn, const Traced& x) { return tan(x); }
inline Var GyreMath(math::AsinFn, const Traced& x) { return asin(x); }
inline Var GyreMath(math::AcosFn, const Traced& x) { return acos(x); }
inline Var GyreMath(math::AtanFn, const Traced& x) { return atan(x); }
inline Var GyreMath(math::SinhFn, const Traced& x) { return sinh(x); }
inline Var GyreMath(math::CoshFn, const Traced& x) { return cosh(x); }
inline Var GyreMath(math::TanhFn, const Traced& x) { return tanh(x); }
inline Var GyreMath(math::SigmoidFn, const Traced& x) { return sigmoid(x); }
inline Var GyreMath(math::ErfFn, const Traced& x) { return erf(x); }
inline Var GyreMath(math::ReluFn, const Traced& x) { return relu(x); }
inline Var GyreMath(math::SiluFn, const Traced& x) { return silu(x); }
inline Var GyreMath(math::GeluFn, const Traced& x) { return gelu(x); }
inline Var GyreMath(math::GeluTanhFn, const Traced& x) { return gelu_tanh(x); }
inline Var GyreMath(math::SoftplusFn, const Traced& x) { return softplus(x); }
inline Var GyreMath(math::FloorFn, const Traced& x) { return floor(x); }
inline Var GyreMath(math::CeilFn, const Traced& x) { return ceil(x); }
inline Var GyreMath(math::RoundFn, const Traced& x) { return round(x); }
inline Var GyreMath(math::IsFiniteFn, const Traced& x) { return is_finite(x); }
inline Var GyreMath(math::IsNanFn, const Traced& x) { return is_nan(x); }

inline Var GyreMath(math::MaxFn, const Traced& a, const Traced& b) {
  return maximum(a, b);
}
inline Var GyreMath(math::MinFn, const Traced& a, const Traced& b) {
  return minimum(a, b);
}
inline Var GyreMath(math::PowFn, const Traced& a, const Traced& b) {
  return pow(a, b);
}
inline Var GyreMath(math::Atan2Fn, const Traced& a, const Traced& b) {
  return atan2(a, b);
}
inline Var GyreMath(math::XlogyFn, const Traced& a, const Traced& b) {
  return xlogy(a, b);
}
inline Var GyreMath(math::SelectFn,
                    const Traced& condition,
                    const Traced& a,
                    const Traced& b) {
  return select(condition, a, b);
}

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_MATH_VARS_H_
