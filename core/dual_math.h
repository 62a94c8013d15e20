// The vocabulary of core/math.h for dual numbers: each word with its
// derivative. Include core/dual.h.

#ifndef GYRE_CORE_DUAL_MATH_H_
#define GYRE_CORE_DUAL_MATH_H_

#include "gyre/core/dual.h"
#include "gyre/core/math.h"

namespace gyre::internal::inline core {

template <class Mask, class T, int N>
Dual<T, N> GyreMath(math::SelectFn,
                    const Mask& mask,
                    const Dual<T, N>& a,
                    const Dual<T, N>& b) {
  return Dual<T, N>::Map(math::select(mask, a.value, b.value), [&](int i) {
    return math::select(mask, a.grad[i], b.grad[i]);
  });
}

// --- parts of a number ------------------------------------------------------

template <class T, int N>
Dual<T, N> GyreMath(math::AbsFn, const Dual<T, N>& x) {
  return internal::Chain(math::abs(x.value), math::sign(x.value), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::NegFn, const Dual<T, N>& x) {
  return -x;
}
template <class T, int N>
Dual<T, N> GyreMath(math::FloorFn, const Dual<T, N>& x) {
  return math::floor(x.value);
}
template <class T, int N>
Dual<T, N> GyreMath(math::CeilFn, const Dual<T, N>& x) {
  return math::ceil(x.value);
}
template <class T, int N>
Dual<T, N> GyreMath(math::RoundFn, const Dual<T, N>& x) {
  return math::round(x.value);
}
template <class T, int N>
Dual<T, N> GyreMath(math::SignFn, const Dual<T, N>& x) {
  return math::sign(x.value);
}

template <class T, int N>
auto GyreMath(math::IsNanFn, const Dual<T, N>& x) {
  return math::is_nan(x.value);
}
template <class T, int N>
auto GyreMath(math::IsFiniteFn, const Dual<T, N>& x) {
  return math::is_finite(x.value);
}

// --- choice -----------------------------------------------------------------

// `first`: where a's gradient is taken although b is not NaN.
template <class T, int N, class Mask>
Dual<T, N> Pick(const T& value,
                const Mask& first,
                const Dual<T, N>& a,
                const Dual<T, N>& b) {
  return Dual<T, N>::Map(value, [&](int i) {
    const T g = math::select(first, a.grad[i], b.grad[i]);
    return math::select(a.value == a.value, g, a.grad[i]);
  });
}

template <class T, int N>
Dual<T, N> GyreMath(math::MinFn, const Dual<T, N>& a, const Dual<T, N>& b) {
  return internal::Pick(math::min(a.value, b.value), a <= b, a, b);
}
template <class T, int N>
Dual<T, N> GyreMath(math::MaxFn, const Dual<T, N>& a, const Dual<T, N>& b) {
  return internal::Pick(math::max(a.value, b.value), a >= b, a, b);
}
template <class T, int N>
Dual<T, N> GyreMath(math::ReluFn, const Dual<T, N>& x) {
  return Dual<T, N>::Map(math::relu(x.value), [&](int i) {
    return math::select(x.value <= 0, T(0), x.grad[i]);
  });
}

// --- exponentials and logarithms --------------------------------------------

template <class T, int N>
Dual<T, N> GyreMath(math::ExpFn, const Dual<T, N>& x) {
  const T y = math::exp(x.value);
  return internal::Chain(y, y, x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::Expm1Fn, const Dual<T, N>& x) {
  const T y = math::expm1(x.value);
  return internal::Chain(y, math::exp(x.value), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::LogFn, const Dual<T, N>& x) {
  return internal::Chain(math::log(x.value), T(1) / x.value, x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::Log1pFn, const Dual<T, N>& x) {
  return internal::Chain(math::log1p(x.value), T(1) / (T(1) + x.value), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::Log2Fn, const Dual<T, N>& x) {
  return internal::Chain(
      math::log2(x.value), T(1.4426950408889634) / x.value, x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::SqrtFn, const Dual<T, N>& x) {
  const T y = math::sqrt(x.value);
  return internal::Chain(y, T(0.5) / y, x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::RsqrtFn, const Dual<T, N>& x) {
  const T y = math::rsqrt(x.value);
  return internal::Chain(y, T(-0.5) * y / x.value, x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::SquareFn, const Dual<T, N>& x) {
  return internal::Chain(x.value * x.value, x.value + x.value, x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::ReciprocalFn, const Dual<T, N>& x) {
  const T y = T(1) / x.value;
  return internal::Chain(y, -y * y, x);
}

// A constant exponent takes no logarithm of the base.
template <class T, int N, internal::ConstantFor<T> S>
Dual<T, N> GyreMath(math::PowFn, const Dual<T, N>& x, const S& exponent) {
  const T e = internal::Lift<T>(exponent);
  return internal::Chain(
      math::pow(x.value, e), e * math::pow(x.value, e - T(1)), x);
}
// The derivative by y is 0 where the power is 0, and where y does not vary.
template <class T, int N>
Dual<T, N> GyreMath(math::PowFn, const Dual<T, N>& x, const Dual<T, N>& y) {
  const T p = math::pow(x.value, y.value);
  const T by_x = y.value * math::pow(x.value, y.value - T(1));
  const T by_y = math::xlogy(p, x.value);
  return Dual<T, N>::Map(p, [&](int i) {
    const T second = math::select(y.grad[i] == T(0), T(0), by_y * y.grad[i]);
    return by_x * x.grad[i] + second;
  });
}
template <class T, int N>
Dual<T, N> GyreMath(math::XlogyFn, const Dual<T, N>& x, const Dual<T, N>& y) {
  const T by_y = math::select(x.value == T(0), T(0), x.value / y.value);
  return Dual<T, N>::Map(math::xlogy(x.value, y.value), [&](int i) {
    return math::xlogy(x.grad[i], y.value) + by_y * y.grad[i];
  });
}

// --- angles and hyperbolic functions ----------------------------------------

template <class T, int N>
Dual<T, N> GyreMath(math::SinFn, const Dual<T, N>& x) {
  return internal::Chain(math::sin(x.value), math::cos(x.value), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::CosFn, const Dual<T, N>& x) {
  return internal::Chain(math::cos(x.value), -math::sin(x.value), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::TanFn, const Dual<T, N>& x) {
  const T y = math::tan(x.value);
  return internal::Chain(y, T(1) + y * y, x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::AsinFn, const Dual<T, N>& x) {
  const T rest = (T(1) - x.value) * (T(1) + x.value);
  return internal::Chain(math::asin(x.value), math::rsqrt(rest), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::AcosFn, const Dual<T, N>& x) {
  const T rest = (T(1) - x.value) * (T(1) + x.value);
  return internal::Chain(math::acos(x.value), -math::rsqrt(rest), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::AtanFn, const Dual<T, N>& x) {
  return internal::Chain(
      math::atan(x.value), T(1) / (T(1) + x.value * x.value), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::Atan2Fn, const Dual<T, N>& y, const Dual<T, N>& x) {
  // In units of the larger of both; 0 where there is no direction.
  const T larger = math::max(math::abs(y.value), math::abs(x.value));
  const T unit = math::select(larger == T(0), T(1), larger);
  const T across = y.value / unit;
  const T along = x.value / unit;
  const T square =
      math::select(larger == T(0), T(1), across * across + along * along);
  return Dual<T, N>::Map(math::atan2(y.value, x.value), [&](int i) {
    return (along / square * y.grad[i] - across / square * x.grad[i]) / unit;
  });
}
template <class T, int N>
Dual<T, N> GyreMath(math::SinhFn, const Dual<T, N>& x) {
  return internal::Chain(math::sinh(x.value), math::cosh(x.value), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::CoshFn, const Dual<T, N>& x) {
  return internal::Chain(math::cosh(x.value), math::sinh(x.value), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::TanhFn, const Dual<T, N>& x) {
  const T y = math::tanh(x.value);
  return internal::Chain(y, (T(1) - y) * (T(1) + y), x);
}

// --- activations ------------------------------------------------------------

// s' = s(x) s(-x), which keeps its digits where s is nearly 1.
template <class T, int N>
Dual<T, N> GyreMath(math::SigmoidFn, const Dual<T, N>& x) {
  const T s = math::sigmoid(x.value);
  return internal::Chain(s, s * math::sigmoid(-x.value), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::SiluFn, const Dual<T, N>& x) {
  const T s = math::sigmoid(x.value);
  const T slope = s * (T(1) + x.value * math::sigmoid(-x.value));
  return internal::Chain(x.value * s, slope, x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::SoftplusFn, const Dual<T, N>& x) {
  return internal::Chain(math::softplus(x.value), math::sigmoid(x.value), x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::ErfFn, const Dual<T, N>& x) {
  const T density = T(1.1283791670955126) * math::exp(-x.value * x.value);
  return internal::Chain(math::erf(x.value), density, x);
}
// Phi(x) + x phi(x).
template <class T, int N>
Dual<T, N> GyreMath(math::GeluFn, const Dual<T, N>& x) {
  const T phi = T(0.3989422804014327) * math::exp(T(-0.5) * x.value * x.value);
  const T cumulative =
      T(0.5) + T(0.5) * math::erf(x.value * T(0.70710678118654752));
  return internal::Chain(math::gelu(x.value), cumulative + x.value * phi, x);
}
template <class T, int N>
Dual<T, N> GyreMath(math::GeluTanhFn, const Dual<T, N>& x) {
  const T square = x.value * x.value;
  const T u = x.value * T(1.5957691216057308) * (square * T(0.044715) + T(1));
  const T du = T(1.5957691216057308) * (square * T(0.134145) + T(1));
  const T s = math::sigmoid(u);
  const T slope = s * (T(1) + x.value * du * math::sigmoid(-u));
  return internal::Chain(math::gelu_tanh(x.value), slope, x);
}

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_DUAL_MATH_H_
