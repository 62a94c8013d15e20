// Trigonometric functions in single precision, for any vector type.
//
// See core/math_kernels.h; tan, the worst, is within 3.5 units in the last
// place, the others within 2.5. Angles beyond 1e5 are rare, and reducing them
// takes many digits of pi: those lanes go through the C library, in double.

#ifndef GYRE_CORE_MATH_TRIG_H_
#define GYRE_CORE_MATH_TRIG_H_

#include "gyre/core/math_kernels.h"

namespace gyre::internal::inline core::kernels {

inline constexpr float kLargeAngle = 1e5f;
inline constexpr float kPi = 3.14159274f;
inline constexpr float kPiLow = -8.74227766e-08f;
inline constexpr float kHalfPi = 1.57079637f;
inline constexpr float kHalfPiLow = -4.37113883e-08f;

inline double SinOf(double x) { return std::sin(x); }
inline double CosOf(double x) { return std::cos(x); }
inline double TanOf(double x) { return std::tan(x); }

// x = n pi/2 + r, |r| <= pi/4; sine and cosine of r.
template <class V>
struct Angle {
  V n, sine, cosine;

  explicit Angle(V x) {
    using L = Lanes<V>;
    n = L::RoundEven(x * V(0.636619747f));
    V r = L::Fma(n, V(-kHalfPi), x);
    r = L::Fma(n, V(-kHalfPiLow), r);
    r = L::Fma(n, V(1.7151245e-15f), r);
    const V z = r * r;
    const V s = Horner(z, -0.166666538f, 0.00833209511f, -0.00019505508f);
    const V c = Horner(z, 0.0416666418f, -0.0013887129f, 2.44118655e-05f);
    sine = L::Fma(r * z, s, r);
    cosine = L::Fma(z * z, c, L::Fma(V(-0.5f), z, V(1.0f)));
  }
};

// k modulo m, for integral k >= 0.
template <class V>
V Modulo(V k, float m) {
  return k - V(m) * Lanes<V>::Floor(k * V(1.0f / m));
}

template <class V>
V Sin(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const Angle<V> angle(a);
  const V y =
      L::Select(Modulo(angle.n, 2.0f) == V(0.0f), angle.sine, angle.cosine);
  const V sign = L::Select(Modulo(angle.n, 4.0f) < V(2.0f), x, -x);
  return L::Patch(a > V(kLargeAngle), x, L::FlipSign(y, sign), &SinOf);
}

template <class V>
V Cos(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const Angle<V> angle(a);
  const V y =
      L::Select(Modulo(angle.n, 2.0f) == V(0.0f), angle.cosine, angle.sine);
  const V next = angle.n + V(1.0f);
  const V signed_y = L::Select(Modulo(next, 4.0f) < V(2.0f), y, -y);
  return L::Patch(a > V(kLargeAngle), x, signed_y, &CosOf);
}

template <class V>
V Tan(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const Angle<V> angle(a);
  const auto even = Modulo(angle.n, 2.0f) == V(0.0f);
  const V y = L::Select(even, angle.sine, -angle.cosine) /
              L::Select(even, angle.cosine, angle.sine);
  return L::Patch(a > V(kLargeAngle), x, L::FlipSign(y, x), &TanOf);
}

// asin(x) for |x| <= 1/2.
template <class V>
V SmallAsin(V x) {
  const V z = x * x;
  const V p = Horner(z,
                     0.166667521f,
                     0.0749530941f,
                     0.0454691499f,
                     0.0241847821f,
                     0.0421583243f);
  return Lanes<V>::Fma(x * z, p, x);
}

template <class V>
V Asin(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const auto small = a < V(0.5f);
  const V root = L::Sqrt(V(0.5f) * (V(1.0f) - a));
  const V p = SmallAsin(L::Select(small, a, root));
  const V large = V(kHalfPi) - (p + p - V(kHalfPiLow));
  return L::CopySign(L::Select(small, p, large), x);
}

template <class V>
V Acos(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const auto small = a < V(0.5f);
  const V root = L::Sqrt(V(0.5f) * (V(1.0f) - a));
  const V p = SmallAsin(L::Select(small, x, root));
  const V near_one = p + p;
  const V near_minus_one = V(kPi) - (near_one - V(kPiLow));
  const V large = L::Select(x < V(0.0f), near_minus_one, near_one);
  return L::Select(small, V(kHalfPi) - (p - V(kHalfPiLow)), large);
}

// atan(t) for 0 <= t <= 1.
template <class V>
V SmallAtan(V t) {
  const V z = t * t;
  const V p = Horner(z,
                     -0.333332986f,
                     0.199985296f,
                     -0.142640144f,
                     0.109508611f,
                     -0.0839920789f,
                     0.0578788705f,
                     -0.0310935341f,
                     0.0108662723f,
                     -0.00178214512f);
  return Lanes<V>::Fma(t * z, p, t);
}

template <class V>
V Atan(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const auto steep = a > V(1.0f);
  const V p = SmallAtan(L::Select(steep, V(1.0f) / a, a));
  const V y = L::Select(steep, V(kHalfPi) - (p - V(kHalfPiLow)), p);
  return L::CopySign(y, x);
}

template <class V>
V Atan2(V y, V x) {
  using L = Lanes<V>;
  const V a = L::Abs(y);
  const V b = L::Abs(x);
  const V low = L::RawMin(a, b);
  const V high = L::RawMax(a, b);
  V t = L::Select(low == V(kInf), V(1.0f), low / high);
  t = L::Select(high == V(0.0f), V(0.0f), t);
  V p = SmallAtan(t);
  p = L::Select(a > b, V(kHalfPi) - (p - V(kHalfPiLow)), p);
  const auto left = L::CopySign(V(1.0f), x) < V(0.0f);
  p = L::Select(left, V(kPi) - (p - V(kPiLow)), p);
  const V result = L::CopySign(p, y);
  const V sum = x + y;  // NaN when either is (Inf - Inf aside, seen below)
  const V nan = L::Select(x == x, L::Select(y == y, result, sum), sum);
  return nan;
}

}  // namespace gyre::internal::inline core::kernels

#endif  // GYRE_CORE_MATH_TRIG_H_
