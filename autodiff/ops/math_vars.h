// The words of namespace math (core/math.h), said to Vars: a pointwise
// functor can be traced as operations as well as compiled for SIMD.

#ifndef GYRE_AUTODIFF_OPS_MATH_VARS_H_
#define GYRE_AUTODIFF_OPS_MATH_VARS_H_

#include <concepts>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/core/math.h"

namespace gyre {

// A Var, or a constant beside one.
template <class T>
concept VarOrNumber = std::same_as<T, Var> || std::is_arithmetic_v<T>;
template <class A, class B>
concept HasVar = VarOrNumber<A> && VarOrNumber<B> &&
    (std::same_as<A, Var> || std::same_as<B, Var>);

inline Var GyreMath(math::AbsFn, const Var& x) { return abs(x); }
inline Var GyreMath(math::NegFn, const Var& x) { return -x; }
inline Var GyreMath(math::SignFn, const Var& x) { return sign(x); }
inline Var GyreMath(math::SquareFn, const Var& x) { return square(x); }
inline Var GyreMath(math::SqrtFn, const Var& x) { return sqrt(x); }
inline Var GyreMath(math::RsqrtFn, const Var& x) { return rsqrt(x); }
inline Var GyreMath(math::ReciprocalFn, const Var& x) { return reciprocal(x); }
inline Var GyreMath(math::ExpFn, const Var& x) { return exp(x); }
inline Var GyreMath(math::Expm1Fn, const Var& x) { return expm1(x); }
inline Var GyreMath(math::LogFn, const Var& x) { return log(x); }
inline Var GyreMath(math::Log1pFn, const Var& x) { return log1p(x); }
inline Var GyreMath(math::Log2Fn, const Var& x) { return log2(x); }
inline Var GyreMath(math::SinFn, const Var& x) { return sin(x); }
inline Var GyreMath(math::CosFn, const Var& x) { return cos(x); }
inline Var GyreMath(math::TanFn, const Var& x) { return tan(x); }
inline Var GyreMath(math::AsinFn, const Var& x) { return asin(x); }
inline Var GyreMath(math::AcosFn, const Var& x) { return acos(x); }
inline Var GyreMath(math::AtanFn, const Var& x) { return atan(x); }
inline Var GyreMath(math::SinhFn, const Var& x) { return sinh(x); }
inline Var GyreMath(math::CoshFn, const Var& x) { return cosh(x); }
inline Var GyreMath(math::TanhFn, const Var& x) { return tanh(x); }
inline Var GyreMath(math::SigmoidFn, const Var& x) { return sigmoid(x); }
inline Var GyreMath(math::ErfFn, const Var& x) { return erf(x); }
inline Var GyreMath(math::ReluFn, const Var& x) { return relu(x); }
inline Var GyreMath(math::SiluFn, const Var& x) { return silu(x); }
inline Var GyreMath(math::GeluFn, const Var& x) { return gelu(x); }
inline Var GyreMath(math::GeluTanhFn, const Var& x) { return gelu_tanh(x); }
inline Var GyreMath(math::SoftplusFn, const Var& x) { return softplus(x); }
inline Var GyreMath(math::FloorFn, const Var& x) { return floor(x); }
inline Var GyreMath(math::CeilFn, const Var& x) { return ceil(x); }
inline Var GyreMath(math::RoundFn, const Var& x) { return round(x); }
inline Var GyreMath(math::IsFiniteFn, const Var& x) { return is_finite(x); }
inline Var GyreMath(math::IsNanFn, const Var& x) { return x != x; }

template <class A, class B>
requires HasVar<A, B> Var GyreMath(math::MaxFn, const A& a, const B& b) {
  return maximum(a, b);
}
template <class A, class B>
requires HasVar<A, B> Var GyreMath(math::MinFn, const A& a, const B& b) {
  return minimum(a, b);
}
template <class A, class B>
requires HasVar<A, B> Var GyreMath(math::PowFn, const A& a, const B& b) {
  return pow(a, b);
}
template <class A, class B>
requires HasVar<A, B> Var GyreMath(math::Atan2Fn, const A& a, const B& b) {
  return atan2(a, b);
}
template <class A, class B>
requires HasVar<A, B> Var GyreMath(math::XlogyFn, const A& a, const B& b) {
  return xlogy(a, b);
}
template <VarOrNumber A, VarOrNumber B>
Var GyreMath(math::SelectFn, const Var& condition, const A& a, const B& b) {
  return select(condition, a, b);
}

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_MATH_VARS_H_
