// Elementary functions in single precision, for any vector type.
//
// Each is a template over V (core/lanes.h) made of the same operations in the
// same order, so a float, a batch of the machine and generated code give the
// same bits. Errors, measured over the floats (tests/core/math_test.cc): at
// most 2.5 units in the last place, about 1 for exp, log and erf. NaN in, NaN
// out; infinities, signed zeros and subnormals as IEEE 754 has them.
//
// The polynomials are minimax fits (Remez) of our own, with coefficients
// rounded to float one by one and the rest fitted again.

// The parts are inlined by force: left to itself the compiler calls some of
// them, with all constants loaded anew for each vector.

#ifndef GYRE_CORE_MATH_KERNELS_H_
#define GYRE_CORE_MATH_KERNELS_H_

#include <cmath>
#include <limits>

#include "gyre/core/lanes.h"

namespace gyre::internal::inline core::kernels {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kLog2E = 1.44269502f;
inline constexpr float kLog2ELow = 1.92596303e-8f;
inline constexpr float kLn2 = 0.693147182f;
inline constexpr float kLn2Low = -1.90465421e-9f;

// c0 + x * (c1 + x * (...)).
template <class V>
[[gnu::always_inline]] inline V Horner(V, float c0) {
  return V(c0);
}
template <class V, class... Cs>
[[gnu::always_inline]] inline V Horner(V x, float c0, Cs... cs) {
  return Lanes<V>::Fma(Horner(x, cs...), x, V(c0));
}

// x = n ln 2 + r, |r| <= ln 2 / 2: returns e^r - 1.
template <class V>
[[gnu::always_inline]] inline V ReducedExpm1(V x, V* n) {
  using L = Lanes<V>;
  *n = L::RoundEven(x * V(kLog2E));
  V r = L::Fma(*n, V(-kLn2), x);
  r = L::Fma(*n, V(-kLn2Low), r);
  const V q = Horner(r,
                     0.49999997f,
                     0.166665375f,
                     0.0416677408f,
                     0.00836731866f,
                     0.00138379866f);
  return L::Fma(r * r, q, r);
}

// e^x * 2^k, k small. The bounds keep n in range and give 0 and Inf beyond;
// the operand order of RawMin and RawMax lets NaN through.
template <class V>
[[gnu::always_inline]] inline V ExpScaled(V x, float k) {
  using L = Lanes<V>;
  const V bounded = L::RawMin(V(90.0f), L::RawMax(V(-105.0f), x));
  V n;
  const V p = ReducedExpm1(bounded, &n) + V(1.0f);
  // Two factors, since 2^n alone may be subnormal or too large.
  n = n + V(k);
  const V half = L::Floor(n * V(0.5f));
  return (p * L::Exp2Int(half)) * L::Exp2Int(n - half);
}

template <class V>
[[gnu::always_inline]] inline V Exp(V x) {
  return ExpScaled(x, 0.0f);
}

template <class V>
V Expm1(V x) {
  using L = Lanes<V>;
  const V bounded = L::RawMin(V(88.9f), L::RawMax(V(-18.0f), x));
  V n;
  const V p = ReducedExpm1(bounded, &n);
  // Half of the result, since 2^128 is no float.
  const V scale = L::Exp2Int(n - V(1.0f));
  const V half = L::Fma(scale, p, scale - V(0.5f));
  return L::CopySign(half + half, x);
}

template <class V>
V Tanh(V x) {
  using L = Lanes<V>;
  V n;
  const V p = ReducedExpm1(L::RawMax(V(-18.5f), V(-2.0f) * L::Abs(x)), &n);
  const V scale = L::Exp2Int(n);
  const V t = L::Fma(scale, p, scale - V(1.0f));  // e^(-2|x|) - 1
  return L::CopySign(t / (t + V(2.0f)), x);
}

template <class V>
V Sigmoid(V x) {
  using L = Lanes<V>;
  const V z = Exp(-L::Abs(x));
  return L::Select(x < V(0.0f), z, V(1.0f)) / (V(1.0f) + z);
}

// x sigmoid(x), with the root of the power twice: where the power would be
// subnormal, x makes it a normal number again.
template <class V>
V Silu(V x) {
  using L = Lanes<V>;
  const V root = Exp(V(-0.5f) * L::Abs(x));
  const V left = x * root * root;
  return L::Select(x < V(0.0f), left, x) / L::Fma(root, root, V(1.0f));
}

// 1 / cosh(x)^2 = 4 z / (1 + z)^2 with z = e^(-2|x|), which is kept 2^24 times
// as large: the 4 may make it a normal number again.
template <class V>
V Sech2(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const V large = ExpScaled(V(-2.0f) * a, 24.0f);
  const V sum = V(1.0f) + large * V(0x1p-24f);
  const V y = large / (sum * sum) * V(0x1p-22f);
  return L::Select(a > V(52.67f), V(0.0f), y);
}

template <class V>
V Sinh(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const V z = x * x;
  const V s =
      Horner(z, 0.166666672f, 0.00833331048f, 0.000198428956f, 2.78222274e-06f);
  const V small = L::Fma(x * z, s, x);
  const V half = ExpScaled(a, -1.0f);
  const V large = L::CopySign(half - V(0.25f) / half, x);
  return L::Select(a < V(1.0f), small, large);
}

template <class V>
V Cosh(V x) {
  const V half = ExpScaled(Lanes<V>::Abs(x), -1.0f);
  return half + V(0.25f) / half;
}

// log(1 + f) + e ln 2 for f in [sqrt(1/2) - 1, sqrt(2) - 1].
template <class V>
[[gnu::always_inline]] inline V ReducedLog(V f, V e) {
  using L = Lanes<V>;
  const V z = f * f;
  // In pairs, not one after the other: the processor works on all of them.
  const V zz = z * z;
  const V low = L::Fma(L::Fma(V(-0.166679963f), f, V(0.200021178f)),
                       z,
                       L::Fma(V(-0.250000089f), f, V(0.333333135f)));
  const V high = L::Fma(L::Fma(V(-0.116757557f), f, V(0.118880995f)),
                        z,
                        L::Fma(V(-0.124055758f), f, V(0.142195627f)));
  V r = L::Fma(L::Fma(V(0.0674689636f), zz, high), zz, low);
  r = L::Fma(e, V(kLn2Low), r * (f * z));
  r = L::Fma(V(-0.5f), z, r);
  return L::Fma(e, V(kLn2), f + r);
}

// x = (1 + f) 2^e, also for subnormal x.
template <class V>
[[gnu::always_inline]] inline V LogFraction(V x, V* e) {
  using L = Lanes<V>;
  const auto tiny = x < V(std::numeric_limits<float>::min());
  const V f = L::Normalize(L::Select(tiny, x * V(0x1p23f), x), e) - V(1.0f);
  *e = L::Select(tiny, *e - V(23.0f), *e);
  return f;
}

// `y`, the logarithm of x, where 0 < x < Inf; the special cases elsewhere.
template <class V>
[[gnu::always_inline]] inline V LogSpecials(V x, V y) {
  using L = Lanes<V>;
  const V edge = L::Select(x == V(0.0f), V(-kInf), V(kNan));
  return L::Select(x < V(kInf), L::Select(x > V(0.0f), y, edge), x);
}

// For any x.
template <class V>
[[gnu::noinline]] V FullLog(V x) {
  V e;
  const V f = LogFraction(x, &e);
  return LogSpecials(x, ReducedLog(f, e));
}

// A third of the full one is for arguments that hardly ever come: batches
// look whether there is one of those. The bits are the same either way.
template <class V>
[[gnu::always_inline]] inline V Log(V x) {
  using L = Lanes<V>;
  if constexpr (requires { L::AllNormal(x); }) {
    if (!L::AllNormal(x)) [[unlikely]] {
      return FullLog(x);
    }
    V e;
    const V f = L::Normalize(x, &e) - V(1.0f);
    return ReducedLog(f, e);
  } else {
    return FullLog(x);
  }
}

template <class V>
V Log2(V x) {
  using L = Lanes<V>;
  V e;
  const V y = ReducedLog(LogFraction(x, &e), V(0.0f));
  return LogSpecials(x, L::Fma(y, V(kLog2E), L::Fma(y, V(kLog2ELow), e)));
}

// The rounding error of 1 + x is carried into the fraction.
template <class V>
[[gnu::always_inline]] inline V Log1p(V x) {
  using L = Lanes<V>;
  const V one(1.0f);
  const V u = one + x;
  const V low = L::Select(x < one, x - (u - one), one - (u - x));
  V e;
  V f = L::Normalize(u, &e) - one;
  f = L::Fma(low, L::Exp2Int(L::RawMax(V(-126.0f), -e)), f);
  return L::Select(x == V(0.0f), x, LogSpecials(u, ReducedLog(f, e)));
}

// e^-x^2 turned round: 1 - erf is e^-g with g a polynomial.
template <class V>
V Erf(V x) {
  using L = Lanes<V>;
  const V a = L::Abs(x);
  const V z = x * x;
  const V small = L::Fma(x,
                         Horner(z,
                                0.128379166f,
                                -0.376126289f,
                                0.112836257f,
                                -0.0268557388f,
                                0.00519244932f,
                                -0.000805059448f,
                                8.00153139e-05f),
                         x);
  const V b = L::RawMin(V(3.95f), a);
  const V g = Horner(b,
                     -0.000175889756f,
                     1.12952089f,
                     0.633334517f,
                     0.108294092f,
                     -0.0251287185f,
                     0.00417467952f,
                     -0.000435226772f,
                     2.11626302e-05f);
  const V large = L::CopySign(V(1.0f) - Exp(-g), x);
  return L::Select(a < V(0.92f), small, large);
}

}  // namespace gyre::internal::inline core::kernels

#endif  // GYRE_CORE_MATH_KERNELS_H_
