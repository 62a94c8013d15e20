// Vectors of the machine: xsimd's batches, and what Gyre adds to them.
//
//   const FloatBatch x = Load<float>(p);             // any alignment
//   Store(p, x * 2.0f);
//   const FloatBatch t = LoadPartial(p, n, 0.0f);    // lanes >= n are 0
//   StorePartial(p, n, t);                           // writes n lanes
//
// WARNING 1: a tail is a padded vector, never a scalar loop: then the last
// elements see the same instructions, and give the same bits, as the others.
// WARNING 2: xsimd 8.1's != is false when an operand is NaN, so x != x finds
// none: write !(x == x), or math::is_nan (core/math.h).
// WARNING 3: xsimd 8.1 says hadd where later releases say reduce_add; use
// SumLanes below, whose order is fixed and stated.
// WARNING 4: all this is here only where the source is compiled for AVX2 and
// FMA, as the libraries are; then GYRE_SIMD is defined. Elsewhere the header is
// nearly empty, and a header for users does without (core/lanes.h).
// WARNING 5: such a source takes the flags of gyre::simd, which are those of
// the libraries. With a -march of its own, or without -ffp-contract=off, its
// templates are not the libraries' of the same name, and bits differ.

#ifndef GYRE_CORE_SIMD_H_
#define GYRE_CORE_SIMD_H_

#if defined(__AVX2__) && defined(__FMA__)
#define GYRE_SIMD 1
#endif

namespace gyre::internal::inline core {

// The floats of a vector: 1 where there are only numbers. It is an argument of
// the templates whose code depends on it, so that sources compiled with
// different flags share none.
#if !defined(GYRE_SIMD)
constexpr int kSimdWidth = 1;
#elif defined(__AVX512F__)
constexpr int kSimdWidth = 16;
#else
constexpr int kSimdWidth = 8;
#endif

}  // namespace gyre::internal::inline core

#ifdef GYRE_SIMD

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "gyre/core/finite.h"
#include "xsimd/xsimd.hpp"

// xsimd 8.1 compares a batch with a constant on its right only.
#if XSIMD_VERSION_MAJOR == 8 && XSIMD_VERSION_MINOR <= 1
namespace xsimd {

template <class S, class T, class A>
requires std::is_arithmetic_v<S>
inline batch_bool<T, A> operator<(S a, const batch<T, A>& b) {
  return batch<T, A>(static_cast<T>(a)) < b;
}
template <class S, class T, class A>
requires std::is_arithmetic_v<S>
inline batch_bool<T, A> operator<=(S a, const batch<T, A>& b) {
  return batch<T, A>(static_cast<T>(a)) <= b;
}
template <class S, class T, class A>
requires std::is_arithmetic_v<S>
inline batch_bool<T, A> operator>(S a, const batch<T, A>& b) {
  return batch<T, A>(static_cast<T>(a)) > b;
}
template <class S, class T, class A>
requires std::is_arithmetic_v<S>
inline batch_bool<T, A> operator>=(S a, const batch<T, A>& b) {
  return batch<T, A>(static_cast<T>(a)) >= b;
}

}  // namespace xsimd
#endif

namespace gyre::internal::inline core {

template <class T>
using Batch = xsimd::batch<T>;
using FloatBatch = Batch<float>;
using DoubleBatch = Batch<double>;
static_assert(FloatBatch::size == kSimdWidth);

template <class T>
using BatchMask = xsimd::batch_bool<T>;

template <class T>
inline constexpr bool kIsBatch = false;
template <class T, class A>
inline constexpr bool kIsBatch<xsimd::batch<T, A>> = true;

// Lanes in a batch of T.
template <class T>
inline constexpr std::size_t kLanes = Batch<T>::size;

template <class T>
inline Batch<T> Load(const T* p) {
  return Batch<T>::load_unaligned(p);
}
template <class T>
inline void Store(T* p, const Batch<T>& x) {
  x.store_unaligned(p);
}

// The first n elements of p (n < kLanes<T> reads no more); the rest is `fill`.
template <class T>
inline Batch<T> LoadPartial(const T* p, std::size_t n, T fill) {
  alignas(64) T lanes[kLanes<T>];
  for (std::size_t i = 0; i < kLanes<T>; ++i) lanes[i] = i < n ? p[i] : fill;
  return Batch<T>::load_aligned(lanes);
}
template <class T>
inline void StorePartial(T* p, std::size_t n, const Batch<T>& x) {
  alignas(64) T lanes[kLanes<T>];
  x.store_aligned(lanes);
  std::memcpy(p, lanes, n * sizeof(T));
}

// All lanes, summed as a balanced tree: ((0+1)+(2+3)) + ((4+5)+(6+7)).
template <class T>
inline T SumLanes(const Batch<T>& x) {
  alignas(64) T lanes[kLanes<T>];
  x.store_aligned(lanes);
  for (std::size_t step = 1; step < kLanes<T>; step *= 2) {
    for (std::size_t i = 0; i < kLanes<T>; i += 2 * step) {
      lanes[i] += lanes[i + step];
    }
  }
  return lanes[0];
}

// Lanes that are neither NaN nor infinite, asked of their bits.
inline BatchMask<float> IsFinite(const FloatBatch& x) {
  using Bits = Batch<std::int32_t>;
  const Bits exponent(0x7f800000);
  const Bits bits = xsimd::bitwise_cast<Bits>(x);
  return xsimd::bool_cast((bits & exponent) != exponent);
}
inline BatchMask<double> IsFinite(const DoubleBatch& x) {
  using Bits = Batch<std::int64_t>;
  const Bits exponent(0x7ff0000000000000);
  const Bits bits = xsimd::bitwise_cast<Bits>(x);
  return xsimd::bool_cast((bits & exponent) != exponent);
}

}  // namespace gyre::internal::inline core

#endif  // GYRE_SIMD
#endif  // GYRE_CORE_SIMD_H_
