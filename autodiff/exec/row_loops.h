// Loops over one row of floats, in vectors: the pieces of softmax,
// normalisation and attention.
//
// Sums: lanes in f32 over blocks of kRowBlock elements, blocks in f64. The
// order depends on the length alone.

#ifndef GYRE_AUTODIFF_EXEC_ROW_LOOPS_H_
#define GYRE_AUTODIFF_EXEC_ROW_LOOPS_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "gyre/core/math.h"
#include "gyre/core/simd.h"

namespace gyre::internal::inline autodiff::rows {

inline constexpr std::int64_t kRowBlock = 512;
inline constexpr std::int64_t kWidth = kLanes<float>;

// f(i, live) for each vector of a row: `live` lanes from element i on.
template <class F>
inline void ForEachVector(std::int64_t n, const F& f) {
  std::int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) f(i, kWidth);
  if (i < n) f(i, n - i);
}

inline FloatBatch LoadLive(const float* p, std::int64_t live, float fill) {
  return live == kWidth ? Load<float>(p) : LoadPartial<float>(p, live, fill);
}
inline void StoreLive(float* p, std::int64_t live, const FloatBatch& x) {
  if (live == kWidth) {
    Store<float>(p, x);
  } else {
    StorePartial<float>(p, live, x);
  }
}

// The sum of f(i, live) over a row's vectors; dead lanes must give 0.
template <class F>
inline double Sum(std::int64_t n, const F& f) {
  double total = 0;
  for (std::int64_t begin = 0; begin < n; begin += kRowBlock) {
    const std::int64_t count = std::min(kRowBlock, n - begin);
    FloatBatch sum(0.0f);
    ForEachVector(count, [&](std::int64_t i, std::int64_t live) {
      sum = sum + f(begin + i, live);
    });
    total += static_cast<double>(SumLanes(sum));
  }
  return total;
}

// The largest number of a row, NaN left out; -Inf for an empty row.
inline float Max(const float* x, std::int64_t n) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  FloatBatch best(kLowest);
  ForEachVector(n, [&](std::int64_t i, std::int64_t live) {
    best = Lanes<FloatBatch>::RawMax(LoadLive(x + i, live, kLowest), best);
  });
  alignas(64) float lanes[kWidth];
  best.store_aligned(lanes);
  return *std::max_element(lanes, lanes + kWidth);
}

// y = f(x) elementwise; x and y may be one row.
template <class F>
inline void Map(const float* x, float* y, std::int64_t n, const F& f) {
  ForEachVector(n, [&](std::int64_t i, std::int64_t live) {
    StoreLive(y + i, live, f(LoadLive(x + i, live, 0.0f)));
  });
}

// y = exp(x - shift), and the sum of it. x and y may be one row.
inline double ExpAndSum(const float* x, float* y, std::int64_t n, float shift) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  return Sum(n, [&](std::int64_t i, std::int64_t live) {
    const FloatBatch e =
        math::exp(LoadLive(x + i, live, kLowest) - FloatBatch(shift));
    StoreLive(y + i, live, e);
    return e;
  });
}

}  // namespace gyre::internal::inline autodiff::rows

#endif  // GYRE_AUTODIFF_EXEC_ROW_LOOPS_H_
