// How an element type is held in memory and how it is accumulated, eight (or
// four) at a time. Included by the kernels only (reduce.cc, partial_reduce.cc).
//
// A format names the stored type, the vector `Raw` as it lies in memory, the
// vector `Acc` that sums are kept in, and the way between the two. `Bits` is
// the type in which + and * of Acc are done: integers wrap only when unsigned.

#ifndef GYRE_COLLECTIVES_REDUCE_FORMATS_H_
#define GYRE_COLLECTIVES_REDUCE_FORMATS_H_

#ifdef __F16C__
#include <immintrin.h>
#endif

#include <cstdint>

#include "gyre/core/half.h"

namespace gyre::internal::inline collectives::reduce {

typedef float F32x8 __attribute__((vector_size(32)));
typedef double F64x4 __attribute__((vector_size(32)));
typedef std::uint8_t U8x8 __attribute__((vector_size(8)));
typedef std::uint16_t U16x8 __attribute__((vector_size(16)));
typedef std::int32_t I32x4 __attribute__((vector_size(16)));
typedef std::uint32_t U32x8 __attribute__((vector_size(32)));
typedef std::int32_t I32x8 __attribute__((vector_size(32)));
typedef std::int64_t I64x4 __attribute__((vector_size(32)));
typedef std::uint64_t U64x4 __attribute__((vector_size(32)));

struct FormatF32 {
  using Stored = float;
  using Raw = F32x8;
  using Acc = F32x8;
  using Bits = F32x8;
  static constexpr int kWidth = 8;
  static Acc Widen(Raw raw) { return raw; }
  static Raw Narrow(Acc acc) { return acc; }
  static Acc Divide(Acc acc, int n) { return acc / static_cast<float>(n); }
};

struct FormatF64 {
  using Stored = double;
  using Raw = F64x4;
  using Acc = F64x4;
  using Bits = F64x4;
  static constexpr int kWidth = 4;
  static Acc Widen(Raw raw) { return raw; }
  static Raw Narrow(Acc acc) { return acc; }
  static Acc Divide(Acc acc, int n) { return acc / static_cast<double>(n); }
};

struct FormatBF16 {
  using Stored = std::uint16_t;
  using Raw = U16x8;
  using Acc = F32x8;
  using Bits = F32x8;
  static constexpr int kWidth = 8;
  static Acc Widen(Raw raw) {
    return (F32x8)(__builtin_convertvector(raw, U32x8) << 16);
  }
  // As BFloat16(float) does: to nearest even, NaN stays a quiet NaN.
  static Raw Narrow(Acc acc) {
    const U32x8 word = (U32x8)acc;
    const U32x8 high = word >> 16;
    const U32x8 rounded = (word + 0x7fffu + (high & 1u)) >> 16;
    const I32x8 is_nan = acc != acc;
    return __builtin_convertvector(is_nan ? (high | 0x40u) : rounded, U16x8);
  }
  static Acc Divide(Acc acc, int n) { return FormatF32::Divide(acc, n); }
};

struct FormatF16 {
  using Stored = std::uint16_t;
  using Raw = U16x8;
  using Acc = F32x8;
  using Bits = F32x8;
  static constexpr int kWidth = 8;
#ifdef __F16C__
  static Acc Widen(Raw raw) { return (F32x8)_mm256_cvtph_ps((__m128i)raw); }
  static Raw Narrow(Acc acc) {
    return (U16x8)_mm256_cvtps_ph((__m256)acc, _MM_FROUND_TO_NEAREST_INT);
  }
#else
  static Acc Widen(Raw raw) {
    Acc acc = {};
    for (int i = 0; i < kWidth; ++i) {
      Half half;
      half.bits = raw[i];
      acc[i] = static_cast<float>(half);
    }
    return acc;
  }
  static Raw Narrow(Acc acc) {
    Raw raw = {};
    for (int i = 0; i < kWidth; ++i) raw[i] = Half(acc[i]).bits;
    return raw;
  }
#endif
  static Acc Divide(Acc acc, int n) { return FormatF32::Divide(acc, n); }
};

struct FormatI32 {
  using Stored = std::int32_t;
  using Raw = I32x4;
  using Acc = I64x4;
  using Bits = U64x4;
  static constexpr int kWidth = 4;
  static Acc Widen(Raw raw) { return __builtin_convertvector(raw, I64x4); }
  static Raw Narrow(Acc acc) { return __builtin_convertvector(acc, I32x4); }
  static Acc Divide(Acc acc, int n) {
    return acc / static_cast<std::int64_t>(n);
  }
};

struct FormatI64 {
  using Stored = std::int64_t;
  using Raw = I64x4;
  using Acc = I64x4;
  using Bits = U64x4;
  static constexpr int kWidth = 4;
  static Acc Widen(Raw raw) { return raw; }
  static Raw Narrow(Acc acc) { return acc; }
  static Acc Divide(Acc acc, int n) { return FormatI32::Divide(acc, n); }
};

struct FormatU8 {
  using Stored = std::uint8_t;
  using Raw = U8x8;
  using Acc = U32x8;
  using Bits = U32x8;
  static constexpr int kWidth = 8;
  static Acc Widen(Raw raw) { return __builtin_convertvector(raw, U32x8); }
  static Raw Narrow(Acc acc) { return __builtin_convertvector(acc, U8x8); }
  static Acc Divide(Acc acc, int n) {
    return acc / static_cast<std::uint32_t>(n);
  }
};

}  // namespace gyre::internal::inline collectives::reduce

#endif  // GYRE_COLLECTIVES_REDUCE_FORMATS_H_
