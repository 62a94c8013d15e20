// The operations of core/lanes.h on the batches of core/simd.h. Include
// core/lanes.h, which adds this where there are batches.

#ifndef GYRE_CORE_BATCH_LANES_H_
#define GYRE_CORE_BATCH_LANES_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gyre/core/lanes.h"
#include "gyre/core/simd.h"

namespace gyre::internal::inline core {
template <class T>
struct BatchLanes {
  using Scalar = T;
  using V = Batch<T>;
  using Mask = BatchMask<T>;
  using Bits = FloatBits<T>;
  using Int = Batch<typename Bits::Int>;

  static V Fma(V a, V b, V c) { return xsimd::fma(a, b, c); }
  static V RoundEven(V x) { return xsimd::nearbyint(x); }
  static V Floor(V x) { return xsimd::floor(x); }
  static V Ceil(V x) { return xsimd::ceil(x); }
  static V Sqrt(V x) { return xsimd::sqrt(x); }
  static V Abs(V x) { return x & FromBits(~ToBits(SignBit())); }
  static V CopySign(V a, V s) { return Abs(a) | (s & SignBit()); }
  static V FlipSign(V a, V s) { return a ^ (s & SignBit()); }
  static V RawMin(V a, V b) { return xsimd::min(a, b); }
  static V RawMax(V a, V b) { return xsimd::max(a, b); }
  static V Or(V a, V b) { return a | b; }
  static V Select(Mask mask, V a, V b) { return xsimd::select(mask, a, b); }
  static V Exp2Int(V n) {
    return FromBits(ToBits(n + V(kIntShift<T> + T(Bits::kBias)))
                    << Bits::kFraction);
  }
  static V Normalize(V x, V* e) {
    const Int bits = ToBits(x);
    const Int exponent = bits - Int(Bits::kSqrtHalf);
    if constexpr (std::is_same_v<T, float>) {
      const Int shifted = exponent >> Bits::kFraction;
      *e = xsimd::to_float(shifted);
      return FromBits(bits - (shifted << Bits::kFraction));
    } else {
      // AVX2 neither shifts signed 64-bit integers nor converts them: the
      // exponent, made positive, becomes the last digits of 2^52 + exponent.
      using Word = Batch<std::uint64_t>;
      const Word one(std::uint64_t{Bits::kBias} << Bits::kFraction);
      const Word top = xsimd::bitwise_cast<Word>(exponent) + one;
      const Word digits = top >> Bits::kFraction;
      constexpr double kShift = 0x1p52;
      *e = xsimd::bitwise_cast<V>(digits |
                                  xsimd::bitwise_cast<Word>(V(kShift))) -
           V(kShift + Bits::kBias);
      const Word scale = (digits << Bits::kFraction) - one;
      return xsimd::bitwise_cast<V>(xsimd::bitwise_cast<Word>(bits) - scale);
    }
  }
  static bool AllNormal(V x) requires std::is_same_v<T, float> {
    // The bits of those numbers, moved to the low end of the signed integers.
    constexpr std::int32_t kShift = 0x7f800000, kEnd = -0x01000000;
    return xsimd::all(ToBits(x) + Int(kShift) < Int(kEnd));
  }
  static V Patch(Mask mask, V x, V y, double (*f)(double)) {
    if (!xsimd::any(mask)) return y;
    return Select(mask, Map(f, x), y);
  }
  template <class F, class... Xs>
  static V Map(F f, Xs... xs) {
    alignas(64) T out[V::size];
    for (std::size_t i = 0; i < V::size; ++i) {
      out[i] = static_cast<T>(f(static_cast<double>(xs.get(i))...));
    }
    return V::load_aligned(out);
  }
  template <class F, class... Xs>
  static V Widen(F f, Xs... xs) {
    alignas(64) T out[V::size];
    for (std::size_t i = 0; i < V::size; i += kLanes<double>) {
      const DoubleBatch y = f(Doubles(xs, i)...);
      alignas(64) double part[kLanes<double>];
      y.store_aligned(part);
      for (std::size_t k = 0; k < kLanes<double>; ++k) {
        out[i + k] = static_cast<T>(part[k]);
      }
    }
    return V::load_aligned(out);
  }

 private:
  // Lanes [first, first + kLanes<double>) of x.
  static DoubleBatch Doubles(V x, std::size_t first) {
    alignas(64) T lanes[V::size];
    alignas(64) double part[kLanes<double>];
    x.store_aligned(lanes);
    for (std::size_t k = 0; k < kLanes<double>; ++k) part[k] = lanes[first + k];
    return DoubleBatch::load_aligned(part);
  }
  static V SignBit() { return V(T(-0.0)); }
  static Int ToBits(V x) { return xsimd::bitwise_cast<Int>(x); }
  static V FromBits(Int bits) { return xsimd::bitwise_cast<V>(bits); }
};

template <>
struct Lanes<FloatBatch> : internal::BatchLanes<float> {};
template <>
struct Lanes<DoubleBatch> : internal::BatchLanes<double> {};

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_BATCH_LANES_H_
