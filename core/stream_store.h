// Stores past the caches: for arrays that are written once, and are too large
// to be still there when they are read again.
//
//   for (...) StreamStore(to + i, x);   // whole, aligned batches
//   FinishStreamStores();               // before anybody else reads
//
// An ordinary store to a line that is not in the cache reads it first: of
// three bytes that a copy moves, one is for nothing.
//
// WARNING 1: for small arrays this is slower: the reader waits for memory.

#ifndef GYRE_CORE_STREAM_STORE_H_
#define GYRE_CORE_STREAM_STORE_H_

#include "gyre/core/simd.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace gyre {

// p is aligned to a batch.
inline void StreamStore(float* p, const FloatBatch& x) {
#if defined(__AVX512F__)
  _mm512_stream_ps(p, x);
#elif defined(__AVX__)
  _mm256_stream_ps(p, x);
#else
  x.store_aligned(p);
#endif
}

// Whether this machine gains by them. Measured on the three streams of an
// Adam update: a fifth faster on a processor with AVX-512 (Zen 4), slower on
// one without (Zen 3).
inline bool StreamStoresPay() {
#if defined(__x86_64__)
  static const bool pay = __builtin_cpu_supports("avx512f") != 0;
  return pay;
#else
  return false;
#endif
}

inline void FinishStreamStores() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace gyre

#endif  // GYRE_CORE_STREAM_STORE_H_
