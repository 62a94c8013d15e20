// Gradients that are added over the ranks while the backward pass still runs.
//
// The flat gradient is cut into buckets of whole tensors. As soon as all
// gradients of a bucket are there, the guard looks at them, and they are
// posted to a lane (mesh/lane.h), the last tensors first, as the backward pass
// makes them. The step waits for all of them before it is judged. The same
// bits come out for any buckets.

#ifndef GYRE_TRAIN_STEP_OVERLAP_H_
#define GYRE_TRAIN_STEP_OVERLAP_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gyre/mesh/lane.h"
#include "gyre/optim/layout.h"

namespace gyre::internal::inline train {

// Tensors [begin, end).
struct GradientBucket {
  int begin = 0;
  int end = 0;
  std::int64_t offset = 0;  // in elements, as `count`
  std::int64_t count = 0;
};

// In the order of the layout, of at least so many bytes each, but for the
// first.
std::vector<GradientBucket> CutIntoBuckets(const optim::FlatLayout& layout,
                                           std::size_t bytes);

struct Overlap {
  std::vector<GradientBucket> buckets;
  std::unique_ptr<Lane> lane;
  std::vector<Handle> handles;  // of the step, in the order of posting
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_OVERLAP_H_
