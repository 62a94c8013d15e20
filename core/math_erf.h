// The normal distribution's words in single precision, for any vector type.
//
// See core/math_kernels.h. What makes them right far out: e^(-x^2) carries the
// rounding error of the square, and the tails I_n(x) = e^(x^2) i^n erfc(x) of
// core/special.h are fits of their own, of I_n(x) (x + c)^(n + 1) in
// t = 1 - 2k / (x + k): no tail is a difference of others.

#ifndef GYRE_CORE_MATH_ERF_H_
#define GYRE_CORE_MATH_ERF_H_

#include "gyre/core/lanes.h"
#include "gyre/core/math_kernels.h"

namespace gyre::internal::inline core::kernels {

inline constexpr float kSqrtHalf = 0.707106769f;
inline constexpr float kSqrtHalfLow = 1.21016175e-08f;
inline constexpr float kInvSqrtPi = 0.564189553f;

// e^(-scale x^2), scale 1 or 1/2.
template <class V>
[[gnu::always_inline]] inline V ExpMinusSquare(V x, float scale) {
  using L = Lanes<V>;
  // e^-100 is 0 for a float; the bound keeps Inf - Inf away.
  const V a = L::RawMin(V(15.0f), L::Abs(x));
  const V square = a * a;
  const V rest = L::Fma(a, a, -square);
  const V y = Exp(square * V(-scale));
  return L::Fma(y, rest * V(-scale), y);
}

// 2 e^(x^2), of x >= 0. An eighth of it is a number up to the bound, where the
// whole is Inf: nothing may be added to that.
template <class V>
[[gnu::always_inline]] inline V TwiceExpSquare(V x) {
  using L = Lanes<V>;
  const V a = L::RawMin(V(9.5f), x);
  const V square = a * a;
  const V rest = L::Fma(a, a, -square);
  const V eighth = ExpScaled(square, -2.0f);
  return V(8.0f) * L::Fma(eighth, rest, eighth);
}

// I_0(x), x >= 0.
template <class V>
[[gnu::always_inline]] inline V Tail0(V x) {
  const V t = V(1.0f) - V(4.0f) / (x + V(2.0f));
  const V p = Horner(t,
                     0.638489187f,
                     -0.0463818833f,
                     -0.083015345f,
                     0.0820245892f,
                     -0.0271071922f,
                     -0.00400829781f,
                     0.00434746686f,
                     0.000605491165f,
                     -0.00070081983f,
                     -0.00017543335f,
                     8.15013409e-05f,
                     3.03264951e-05f);
  return p / (x + V(0.5f));
}

// I_1(x), x >= 0.
template <class V>
[[gnu::always_inline]] inline V Tail1(V x) {
  const V t = V(1.0f) - V(4.0f) / (x + V(2.0f));
  const V d = x + V(0.75f);
  const V p = Horner(t,
                     0.403824121f,
                     -0.0897721872f,
                     -0.107936718f,
                     0.0951038972f,
                     0.000366033142f,
                     -0.0281780325f,
                     0.00406377343f,
                     0.00656715501f,
                     -0.000538343913f,
                     -0.00166993495f,
                     -9.33588381e-05f,
                     0.000363487779f,
                     4.02118312e-05f,
                     -4.5310062e-05f);
  return p / d / d;
}

// I_2(x), x >= 0.
template <class V>
[[gnu::always_inline]] inline V Tail2(V x) {
  const V t = V(1.0f) - V(6.0f) / (x + V(3.0f));
  const V d = x + V(0.75f);
  const V p = Horner(t,
                     0.209413096f,
                     -0.0578071363f,
                     -0.0690715909f,
                     0.101091385f,
                     -0.0433624387f,
                     -0.0186582673f,
                     0.0313827917f,
                     -0.0111448448f,
                     -0.00483944546f,
                     0.00515717454f,
                     -0.000452362059f,
                     -0.000953731884f,
                     0.000218228452f,
                     0.00010474481f,
                     -3.02062945e-05f);
  return p / d / d / d;
}

template <class V>
V Erfcx(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const V tail = Tail0(a);
  return L::Select(x < V(0.0f), TwiceExpSquare(a) - tail, tail);
}

// Of negative x all terms are positive.
template <class V>
V Ierfcx(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const V left = L::Fma(a, TwiceExpSquare(a) - Tail0(a), V(kInvSqrtPi));
  return L::Select(x < V(0.0f), left, Tail1(a));
}

template <class V>
V I2erfcx(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const V zeroth = TwiceExpSquare(a) - Tail0(a);
  const V first = L::Fma(a, zeroth, V(kInvSqrtPi));
  const V left = V(0.25f) * L::Fma(a + a, first, zeroth);
  return L::Select(x < V(0.0f), left, Tail2(a));
}

// erfc(|x|), turned round for negative x.
template <class V>
V Erfc(V x) {
  using L = Lanes<V>;
  const V right = ExpMinusSquare(x, 1.0f) * Tail0(L::Abs(x));
  return L::Select(x < V(0.0f), V(2.0f) - right, right);
}

// log(erfc(x)).
template <class V>
V LogErfc(V x) {
  using L = Lanes<V>;
  const auto near = x < V(0.7f);
  // One logarithm for both sides.
  const V tail = L::Select(near, V(1.0f), Tail0(L::Abs(x)));
  const V left = Log1p(-Erf(L::Select(near, x, V(0.0f))));
  return L::Select(near, left, L::Fma(-x, x, Log(tail)));
}

// |x| / sqrt(2), with the digits that a float of sqrt(1/2) lacks.
template <class V>
[[gnu::always_inline]] inline V OverRootTwo(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  return L::Fma(a, V(kSqrtHalf), a * V(kSqrtHalfLow));
}

// The normal distribution function.
template <class V>
V Ndtr(V x) {
  using L = Lanes<V>;
  const V left = V(0.5f) * ExpMinusSquare(x, 0.5f) * Tail0(OverRootTwo(x));
  return L::Select(x > V(0.0f), V(1.0f) - left, left);
}

// x times it. The tail comes first: the power alone may be subnormal.
template <class V>
V Gelu(V x) {
  using L = Lanes<V>;
  const V power = ExpMinusSquare(x, 0.5f);
  const V tail = V(0.5f) * Tail0(OverRootTwo(x));
  return L::Select(x > V(0.0f), x * (V(1.0f) - tail * power), x * tail * power);
}

// Of negative x the scaled tail, of positive x what the other tail leaves.
template <class V>
V LogNdtr(V x) {
  using L = Lanes<V>;
  const auto far = x < V(-0.6f);
  const V tail = L::Select(far, V(0.5f) * Tail0(OverRootTwo(x)), V(0.5f));
  const V left = L::Fma(V(-0.5f) * x, x, Log(tail));
  return L::Select(far, left, Log1p(-Ndtr(-x)));
}

}  // namespace gyre::internal::inline core::kernels

#endif  // GYRE_CORE_MATH_ERF_H_
