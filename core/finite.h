// Is a number finite? Asked of its bits, so that no compiler flag can answer.
//
// WARNING 1: Gyre refuses to build with -ffast-math or -ffinite-math-only:
// those flags let the compiler assume that NaN does not exist, and the guard
// would be compiled away.

#ifndef GYRE_CORE_FINITE_H_
#define GYRE_CORE_FINITE_H_

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "Gyre needs NaN and Inf: build without -ffast-math and -Ofast"
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

namespace gyre::internal::inline core {

inline bool IsFinite(float x) {
  return (std::bit_cast<std::uint32_t>(x) & 0x7f800000u) != 0x7f800000u;
}
inline bool IsFinite(double x) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000u;
  return (std::bit_cast<std::uint64_t>(x) & kExponent) != kExponent;
}

// How many of x[0 .. n) are NaN or infinite.
std::int64_t CountNonFinite(const float* x, std::size_t n);
std::int64_t CountNonFinite(const double* x, std::size_t n);

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_FINITE_H_
