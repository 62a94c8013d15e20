// Powers in single precision, for any vector type.
//
// x^y = 2^(y log2 x) wants more digits of the logarithm than a float holds, so
// the kernel works on doubles (Lanes<V>::Widen), with polynomials just long
// enough for a result that is nearly always the correctly rounded float.

#ifndef GYRE_CORE_MATH_POWER_H_
#define GYRE_CORE_MATH_POWER_H_

#include <limits>

#include "gyre/core/lanes.h"

namespace gyre::internal::inline core::kernels {

// c0 + x * (c1 + x * (...)), in double.
template <class D>
D WideHorner(D, double c0) {
  return D(c0);
}
template <class D, class... Cs>
D WideHorner(D x, double c0, Cs... cs) {
  return Lanes<D>::Fma(WideHorner(x, cs...), x, D(c0));
}

// log2 of x > 0, to 1e-12; of 0 and Inf the limits.
template <class D>
D WideLog2(D x) {
  using L = Lanes<D>;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  D e;
  const D m = L::Normalize(x, &e);
  // log m = 2 artanh s.
  const D s = (m - D(1.0)) / (m + D(1.0));
  const D series = WideHorner(s * s,
                              1.0,
                              1.0 / 3,
                              1.0 / 5,
                              1.0 / 7,
                              1.0 / 9,
                              1.0 / 11,
                              1.0 / 13,
                              1.0 / 15);
  const D y = L::Fma(s * D(2.8853900817779268), series, e);
  const D low = L::Select(x > D(0.0), y, D(-kInf));
  return L::Select(x < D(kInf), low, x);
}

// 2^x to 1e-11, for the range of float; 0 and something huge beyond.
template <class D>
D WideExp2(D x) {
  using L = Lanes<D>;
  const D bounded = L::RawMin(D(900.0), L::RawMax(D(-900.0), x));
  const D n = L::RoundEven(bounded);
  const D r = (bounded - n) * D(0.69314718055994531);
  const D p = WideHorner(r,
                         1.0,
                         1.0,
                         1.0 / 2,
                         1.0 / 6,
                         1.0 / 24,
                         1.0 / 120,
                         1.0 / 720,
                         1.0 / 5040,
                         1.0 / 40320,
                         1.0 / 362880);
  return p * L::Exp2Int(n);
}

// With the special cases of IEEE 754's pow.
template <class D>
D WidePow(D x, D y) {
  using L = Lanes<D>;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const D a = L::Abs(x);
  D r = WideExp2(y * WideLog2(a));
  r = L::Select(a == D(1.0), D(1.0), r);
  // A negative base: the sign of an odd power, no number for a fraction.
  const D half = y * D(0.5);
  const D even_part = L::RoundEven(half);
  const auto integral = L::RoundEven(y) == y;
  const D odd_sign = L::Select(even_part == half, D(1.0), x);
  r = L::CopySign(r, L::Select(integral, odd_sign, D(1.0)));
  const D fraction = L::Select(a < D(kInf), D(kNan), r);
  r = L::Select(x < D(0.0), L::Select(integral, r, fraction), r);
  // NaN, but for x = 1 and y = 0.
  r = L::Select(y == y, r, y);
  r = L::Select(x == x, r, x);
  return L::Select(x == D(1.0), D(1.0), L::Select(y == D(0.0), D(1.0), r));
}

template <class V>
V Pow(V x, V y) {
  return Lanes<V>::Widen([](auto a, auto b) { return WidePow(a, b); }, x, y);
}

}  // namespace gyre::internal::inline core::kernels

#endif  // GYRE_CORE_MATH_POWER_H_
