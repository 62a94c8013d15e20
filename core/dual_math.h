// The vocabulary of core/math.h for dual numbers: each word with its
// derivative. Include core/dual.h.

#ifndef GYRE_CORE_DUAL_MATH_H_
#define GYRE_CORE_DUAL_MATH_H_

#include "gyre/core/dual.h"
#include "gyre/core/math.h"
#include "gyre/core/math_slopes.h"

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

// A word of one number, with the slope of core/math_slopes.h.
template <class Fn, class T, int N>
requires requires(const T& v) { SlopeOf(Fn{}, v, v); }
Dual<T, N> GyreMath(Fn, const Dual<T, N>& x) {
  const T y = Fn{}(x.value);
  if constexpr (std::is_same_v<decltype(SlopeOf(Fn{}, y, y)), Flat>) {
    return y;
  } else {
    return Chain(y, SlopeOf(Fn{}, x.value, y), x);
  }
}

// --- parts of a number ------------------------------------------------------

template <class T, int N>
Dual<T, N> GyreMath(math::NegFn, const Dual<T, N>& x) {
  return -x;
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

// A constant exponent takes no logarithm of the base. x^0 has slope 0.
template <class T, int N, internal::ConstantFor<T> S>
Dual<T, N> GyreMath(math::PowFn, const Dual<T, N>& x, const S& exponent) {
  const T e = internal::Lift<T>(exponent);
  const T slope =
      math::select(e == T(0), T(0), e * math::pow(x.value, e - T(1)));
  return internal::Chain(math::pow(x.value, e), slope, x);
}
// The derivative by y is 0 where the power is 0, and where y does not vary.
template <class T, int N>
Dual<T, N> GyreMath(math::PowFn, const Dual<T, N>& x, const Dual<T, N>& y) {
  const T p = math::pow(x.value, y.value);
  const T by_x = math::select(
      y.value == T(0), T(0), y.value * math::pow(x.value, y.value - T(1)));
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

// The order is a constant.
template <class T, int N, internal::ConstantFor<T> S>
Dual<T, N> GyreMath(math::PolygammaFn, const S& order, const Dual<T, N>& x) {
  const T n = internal::Lift<T>(order);
  return internal::Chain(
      math::polygamma(n, x.value), math::polygamma(n + T(1), x.value), x);
}

// --- angles and hyperbolic functions ----------------------------------------

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

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_DUAL_MATH_H_
