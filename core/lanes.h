// The few operations that the mathematics of Gyre is made of.
//
// A kernel of core/math_kernels.h is a template over a vector type V and uses
// nothing but V's operators (+ - * / unary -, and comparisons, which give
// Lanes<V>::Mask) and the functions of Lanes<V>. A float is a vector of one
// lane, so scalar and batch (core/batch_lanes.h, where the source is compiled
// for SIMD) agree to the bit. A code generator joins by specialising Lanes for
// a register type whose operators emit instructions.
//
// WARNING 1: every operation rounds once, and Fma is the only fused one: the
// build forbids contraction, and a specialisation must not contract either.

#ifndef GYRE_CORE_LANES_H_
#define GYRE_CORE_LANES_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "gyre/core/finite.h"
#include "gyre/core/simd.h"

namespace gyre::internal::inline core {

// To be specialised. Members:
//   Scalar, Mask
//   Fma(a, b, c)         a * b + c, rounded once
//   RoundEven, Floor, Ceil, Sqrt, Abs
//   CopySign(a, s)       |a| with the sign bit of s
//   FlipSign(a, s)       a, its sign bit xor-ed with that of s
//   RawMin(a, b)         a < b ? a : b, so b when either is NaN
//   RawMax(a, b)         a > b ? a : b, so b when either is NaN
//   Or(a, b)             of the bits
//   Select(mask, a, b)   mask ? a : b, lane by lane
//   Exp2Int(n)           2^n for integral n in the range of normal numbers
//   Normalize(x, &e)     m in [sqrt(1/2), sqrt(2)) with x = m * 2^e, for
//                        normal x > 0; anything else gives a number of sorts
//   AllNormal(x)         whether every lane is positive, finite and normal
//                        (only where code may depend on numbers)
//   Patch(mask, x, y, f) y, but f(x), by double, in the lanes of the mask:
//                        for rare lanes, the mask being empty as a rule
//   Map(f, x...)         f(x...), by double, in every lane: slow
//   Widen(f, x...)       f(x...) on vectors of doubles, rounded back: for
//                        kernels that need the digits
template <class V>
struct Lanes;

template <class V>
concept LaneType = requires {
  typename Lanes<V>::Scalar;
};

// The layout of a float type, as its bits are taken apart.
template <class T>
struct FloatBits;
template <>
struct FloatBits<float> {
  using Int = std::int32_t;
  static constexpr int kFraction = 23;
  static constexpr Int kBias = 127;
  static constexpr Int kSqrtHalf = 0x3f3504f3;
};
template <>
struct FloatBits<double> {
  using Int = std::int64_t;
  static constexpr int kFraction = 52;
  static constexpr Int kBias = 1023;
  static constexpr Int kSqrtHalf = 0x3fe6a09e667f3bcd;
};
// 1.5 * 2^fraction: adding it to a small integer leaves that integer in the
// low bits.
template <class T>
inline constexpr T kIntShift = T(3) *
                               static_cast<T>(std::int64_t{1}
                                              << (FloatBits<T>::kFraction - 1));

template <class T>
struct ScalarLanes {
  using Scalar = T;
  using Mask = bool;
  using Bits = FloatBits<T>;
  using Int = typename Bits::Int;
  using Unsigned = std::make_unsigned_t<Int>;

  static T Fma(T a, T b, T c) { return std::fma(a, b, c); }
  static T RoundEven(T x) { return std::nearbyint(x); }
  static T Floor(T x) { return std::floor(x); }
  static T Ceil(T x) { return std::ceil(x); }
  static T Sqrt(T x) { return std::sqrt(x); }
  static T Abs(T x) { return std::abs(x); }
  static T CopySign(T a, T s) { return std::copysign(a, s); }
  static T FlipSign(T a, T s) {
    return FromBits(ToBits(a) ^ (ToBits(s) & ToBits(T(-0.0))));
  }
  static T RawMin(T a, T b) { return a < b ? a : b; }
  static T RawMax(T a, T b) { return a > b ? a : b; }
  static T Or(T a, T b) { return FromBits(ToBits(a) | ToBits(b)); }
  static T Select(bool mask, T a, T b) { return mask ? a : b; }
  static T Exp2Int(T n) {
    const Unsigned bits = ToBits(n + (kIntShift<T> + T(Bits::kBias)));
    return FromBits(bits << Bits::kFraction);
  }
  static T Normalize(T x, T* e) {
    const auto bits = static_cast<Int>(ToBits(x));
    const Int exponent =
        static_cast<Int>(ToBits(x) - Unsigned{Bits::kSqrtHalf}) >>
        Bits::kFraction;
    *e = static_cast<T>(exponent);
    return FromBits(static_cast<Unsigned>(bits) -
                    (static_cast<Unsigned>(exponent) << Bits::kFraction));
  }
  static T Patch(bool mask, T x, T y, double (*f)(double)) {
    return mask ? static_cast<T>(f(x)) : y;
  }
  template <class F, class... Xs>
  static T Map(F f, Xs... xs) {
    return static_cast<T>(f(static_cast<double>(xs)...));
  }
  template <class F, class... Xs>
  static T Widen(F f, Xs... xs) {
    return static_cast<T>(f(static_cast<double>(xs)...));
  }

 private:
  static Unsigned ToBits(T x) { return std::bit_cast<Unsigned>(x); }
  static T FromBits(Unsigned bits) { return std::bit_cast<T>(bits); }
};

template <>
struct Lanes<float> : internal::ScalarLanes<float> {};
template <>
struct Lanes<double> : internal::ScalarLanes<double> {};

}  // namespace gyre::internal::inline core

#ifdef GYRE_SIMD
#include "gyre/core/batch_lanes.h"  // IWYU pragma: export
#endif

#endif  // GYRE_CORE_LANES_H_
