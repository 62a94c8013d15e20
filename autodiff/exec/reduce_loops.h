// The inner loops of reductions: a run of elements into one result, or into as
// many results as there are elements.

#ifndef GYRE_AUTODIFF_EXEC_REDUCE_LOOPS_H_
#define GYRE_AUTODIFF_EXEC_REDUCE_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "gyre/core/math.h"
#include "gyre/core/simd.h"

namespace gyre::internal::inline autodiff {

struct SumOf {
  static constexpr double kIdentity = 0;
  template <class V>
  V operator()(V a, V b) const {
    return a + b;
  }
};
struct ProdOf {
  static constexpr double kIdentity = 1;
  template <class V>
  V operator()(V a, V b) const {
    return a * b;
  }
};
struct MaxOf {
  static constexpr double kIdentity = -std::numeric_limits<double>::infinity();
  template <class V>
  V operator()(V a, V b) const {
    return math::max(a, b);
  }
};
struct MinOf {
  static constexpr double kIdentity = std::numeric_limits<double>::infinity();
  template <class V>
  V operator()(V a, V b) const {
    return math::min(a, b);
  }
};

// All lanes as a balanced tree: ((0 1)(2 3)) ((4 5)(6 7)).
template <class Op, class T>
T ReduceLanes(const Batch<T>& x) {
  alignas(64) T lanes[kLanes<T>];
  x.store_aligned(lanes);
  for (std::size_t step = 1; step < kLanes<T>; step *= 2) {
    for (std::size_t i = 0; i < kLanes<T>; i += 2 * step) {
      lanes[i] = Op{}(lanes[i], lanes[i + step]);
    }
  }
  return lanes[0];
}

// Four chains of vectors, so that additions need not wait for each other.
template <class Op, class T>
T ReduceRun(const T* x, std::int64_t n) {
  constexpr std::int64_t kWidth = kLanes<T>;
  const Op op;
  const Batch<T> identity(static_cast<T>(Op::kIdentity));
  Batch<T> chain[4] = {identity, identity, identity, identity};
  std::int64_t i = 0;
  for (; i + 4 * kWidth <= n; i += 4 * kWidth) {
    for (int k = 0; k < 4; ++k) {
      chain[k] = op(chain[k], Load(x + i + k * kWidth));
    }
  }
  for (; i + kWidth <= n; i += kWidth) chain[0] = op(chain[0], Load(x + i));
  if (i < n) {
    chain[1] =
        op(chain[1], LoadPartial(x + i, n - i, static_cast<T>(Op::kIdentity)));
  }
  return ReduceLanes<Op, T>(op(op(chain[0], chain[1]), op(chain[2], chain[3])));
}

// results[i * stride] takes in element i; stride is 0 or 1.
template <class Op, class T>
void AccumulateRun(const std::byte* tile,
                   std::int64_t n,
                   std::int64_t stride,
                   double* results) {
  const T* x = reinterpret_cast<const T*>(tile);
  const Op op;
  if (stride == 0) {
    *results = op(*results, static_cast<double>(ReduceRun<Op, T>(x, n)));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    results[i] = op(results[i], static_cast<double>(x[i]));
  }
}

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_REDUCE_LOOPS_H_
