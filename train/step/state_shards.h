// Optimizer states of which each rank keeps a part.
//
// Ranks that add the same gradients would keep the same states. With shards,
// each of them keeps and updates one window of the flat arrays, and then they
// exchange the new parameters: the states of a rank take 1 / n of the memory.
// (Rajbhandari et al., "ZeRO", 2020, stage 1.) The same numbers come out, to
// the bit.
//
//   gradients    reduce_scatter: a rank gets the sum of its window alone
//   update       of the window
//   parameters   all_gather of the windows

#ifndef GYRE_TRAIN_STEP_STATE_SHARDS_H_
#define GYRE_TRAIN_STEP_STATE_SHARDS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "gyre/train/step/gradient_sync.h"

namespace gyre::internal::inline train {

// What this rank keeps of one range of tensors; in elements.
struct StateWindow {
  std::int64_t first = 0;    // of the flat arrays
  std::int64_t count = 0;    // the same on all ranks
  std::int64_t kept_at = 0;  // where it begins in the states kept
};

class StateShards {
 public:
  StateShards() = default;  // every rank keeps all states
  // Every range must divide by its ranks: see PaddedTo.
  StateShards(const Mesh& mesh, const GradientSync& sync);

  bool on() const { return !windows_.empty(); }
  // One for each range of the sync.
  std::span<const StateWindow> windows() const { return windows_; }
  // Of all windows: how long a state's array is on this rank.
  std::int64_t kept() const { return kept_; }
  std::int64_t largest() const { return largest_; }

  // Ranges of tensors end at multiples of it, in elements.
  static std::int64_t PaddedTo(const Mesh& mesh, AxisSet axes) {
    return optim::FlatLayout::kAlign * mesh.SizeOf(axes);
  }

 private:
  std::vector<StateWindow> windows_;
  std::int64_t kept_ = 0;
  std::int64_t largest_ = 0;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_STATE_SHARDS_H_
