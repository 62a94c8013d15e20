#include "gyre/train/step/state_shards.h"

#include <algorithm>

#include "gyre/core/check.h"

namespace gyre::internal::inline train {

StateShards::StateShards(const Mesh& mesh, const GradientSync& sync) {
  for (const SyncRange& range : sync.ranges()) {
    const std::int64_t ranks = mesh.SizeOf(range.axes);
    GYRE_CHECK(range.count % ranks == 0, "a range that was not padded");
    const std::int64_t count = range.count / ranks;
    windows_.push_back(
        {.first = range.offset + mesh.Position(range.axes) * count,
         .count = count,
         .kept_at = kept_});
    kept_ += count;
    largest_ = std::max(largest_, count);
  }
}

}  // namespace gyre::internal::inline train
