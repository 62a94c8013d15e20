#include "gyre/train/step/overlap.h"

#include <algorithm>

namespace gyre::internal::inline train {

std::vector<GradientBucket> CutIntoBuckets(const optim::FlatLayout& layout,
                                           std::size_t bytes) {
  std::vector<GradientBucket> buckets;  // from the last to the first
  std::int64_t end = layout.elements();
  int last = layout.count();
  for (int t = layout.count() - 1; t >= 0; --t) {
    const std::int64_t count = end - layout[t].offset;
    if (t > 0 && count * sizeof(float) < bytes) continue;
    buckets.push_back(
        {.begin = t, .end = last, .offset = layout[t].offset, .count = count});
    end = layout[t].offset;
    last = t;
  }
  std::reverse(buckets.begin(), buckets.end());
  return buckets;
}

}  // namespace gyre::internal::inline train
