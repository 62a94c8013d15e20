// The two 16-bit floats, as storage: arithmetic happens in f32.
//
// Conversions round to nearest even (IEEE 754) and keep NaN a NaN.

#ifndef GYRE_CORE_HALF_H_
#define GYRE_CORE_HALF_H_

#include <bit>
#include <cmath>
#include <cstdint>

namespace gyre {

// f32 cut to 16 bits: 8 exponent and 7 fraction bits.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    if ((word & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<std::uint16_t>((word >> 16) | 0x0040u);
      return;
    }
    const std::uint32_t round = 0x7fffu + ((word >> 16) & 1u);
    bits = static_cast<std::uint16_t>((word + round) >> 16);
  }
  explicit operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

// IEEE binary16: 5 exponent and 10 fraction bits.
struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  explicit Half(float value) : bits(FromFloat(value)) {}
  explicit operator float() const { return ToFloat(bits); }

 private:
  static std::uint16_t FromFloat(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((word >> 16) & 0x8000u);
    const std::uint32_t magnitude = word & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00u;   // NaN
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // rounds to Inf
    if (magnitude < 0x38800000u) {
      // Subnormal: the unit in the last place is 2^-24, so adding 0.5 in a
      // format whose own last place is 2^-24 does the rounding.
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return sign | static_cast<std::uint16_t>(
                        std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u);
    }
    const std::uint32_t round = 0xfffu + ((magnitude >> 13) & 1u);
    return sign |
           static_cast<std::uint16_t>((magnitude + round - 0x38000000u) >> 13);
  }

  static float ToFloat(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fu;
    const std::uint32_t fraction = half & 0x3ffu;
    if (exponent == 0x1f) {
      return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
    }
    if (exponent == 0) {
      const float value = std::ldexp(static_cast<float>(fraction), -24);
      return sign != 0 ? -value : value;
    }
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) |
                                (fraction << 13));
  }
};

}  // namespace gyre

#endif  // GYRE_CORE_HALF_H_
