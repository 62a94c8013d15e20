// Posting buckets of gradients, and waiting for them (train/step/overlap.h).
// For train/step/step_ops.cc.

#ifndef GYRE_TRAIN_STEP_OVERLAP_OPS_H_
#define GYRE_TRAIN_STEP_OVERLAP_OPS_H_

#include "gyre/mesh/control_record.h"
#include "gyre/train/step/step_state.h"

namespace gyre::internal::inline train {

// The guard looks at this rank's gradients of bucket `i`, and nothing bad is
// left in them.
void GuardBucket(StepState& state, std::size_t i);

// Posts the bucket. The note of the last one that is posted reaches all ranks.
void PostBucket(StepState& state, std::size_t i, const Note& note);

// Until all buckets are added.
Status AwaitBuckets(StepState& state);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_OVERLAP_OPS_H_
