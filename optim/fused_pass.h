// The one pass over memory that an optimizer step is: reads gradient,
// parameters and states, writes new parameters and states, and looks at the
// bits of everything it writes. For staged_pass.h, where there is SIMD.
//
// It moves its bytes as fast as memcpy does (AdamW on 5 M parameters). Large
// tensors are stored past the caches where that pays (core/stream_store.h).

#ifndef GYRE_OPTIM_FUSED_PASS_H_
#define GYRE_OPTIM_FUSED_PASS_H_

#include <cstdint>

#include "gyre/core/aligned.h"
#include "gyre/core/simd.h"
#include "gyre/core/stream_store.h"
#include "gyre/optim/norm.h"
#include "gyre/optim/segment.h"

#ifdef GYRE_SIMD

namespace gyre::optim::detail {

using IntBatch = xsimd::batch<std::int32_t>;

// Keeps the largest magnitude seen, as an integer: at or above the bits of
// infinity, something was not finite.
class FiniteWatch {
 public:
  void See(internal::FloatBatch x) {
    const IntBatch bits = xsimd::bitwise_cast<IntBatch>(x) & IntBatch(kMask);
    worst_ = xsimd::max(worst_, bits);
  }
  bool saw_bad() const { return xsimd::any(worst_ >= IntBatch(kInfinity)); }

 private:
  static constexpr std::int32_t kMask = 0x7fffffff;
  static constexpr std::int32_t kInfinity = 0x7f800000;
  IntBatch worst_ = IntBatch(0);
};

// Of a smaller tensor the new values may still be in the cache when the next
// step reads them.
inline constexpr std::int64_t kStreamFrom = std::int64_t{1} << 20;

// As ScalarPass; the memory is aligned, and padded to whole batches.
template <int kWidth, bool kAddParam, int kStates, class Kernel>
bool FusedPass(Segment<kStates> seg, SplitFactor scale, Kernel kernel) {
  static_assert(kWidth == internal::FloatBatch::size);
  const internal::FloatBatch first(scale.first);
  const internal::FloatBatch second(scale.second);
  const bool stream = seg.size >= kStreamFrom && internal::StreamStoresPay();
  FiniteWatch watch;
  const auto step = [&](std::int64_t i, const auto& finish) {
    internal::FloatBatch states[kStates > 0 ? kStates : 1];
    for (int k = 0; k < kStates; ++k) {
      states[k] = internal::FloatBatch::load_aligned(seg.state[k] + i);
    }
    const internal::FloatBatch g =
        internal::FloatBatch::load_aligned(seg.grad + i);
    const internal::FloatBatch p =
        internal::FloatBatch::load_aligned(seg.param + i);
    const internal::FloatBatch u = kernel(g * first * second, states, p);
    const auto put = [&](float* to, internal::FloatBatch x) {
      x = finish(x);
      watch.See(x);
      if (stream) {
        internal::StreamStore(to + i, x);
      } else {
        x.store_aligned(to + i);
      }
    };
    put(seg.new_param, kAddParam ? p + u : u);
    for (int k = 0; k < kStates; ++k) put(seg.new_state[k], states[k]);
  };

  const std::int64_t whole = seg.size / kWidth * kWidth;
  for (std::int64_t i = 0; i < whole; i += kWidth) {
    step(i, [](internal::FloatBatch x) { return x; });
  }
  if (whole < seg.size) {
    // The rest of the last batch is padding: it stays zero whatever the
    // kernel makes of it, and is not looked at.
    alignas(internal::kAlignment) float lane[kWidth];
    for (int j = 0; j < kWidth; ++j) lane[j] = static_cast<float>(j);
    const auto used =
        internal::FloatBatch::load_aligned(lane) <
        internal::FloatBatch(static_cast<float>(seg.size - whole));
    step(whole, [used](internal::FloatBatch x) {
      return xsimd::select(used, x, internal::FloatBatch(0.0f));
    });
  }
  if (stream) internal::FinishStreamStores();
  return !watch.saw_bad();
}

}  // namespace gyre::optim::detail

#endif  // GYRE_SIMD
#endif  // GYRE_OPTIM_FUSED_PASS_H_
