// The end of a step whose optimizer states are cut over the ranks
// (train/step/state_shards.h). For train/step/sync_ops.cc and
// train/step/step_ops.cc.

#ifndef GYRE_TRAIN_STEP_SHARD_OPS_H_
#define GYRE_TRAIN_STEP_SHARD_OPS_H_

#include "gyre/optim/update.h"
#include "gyre/train/step/step_state.h"

namespace gyre::internal::inline train {

// The sum of the ranks' gradients, of this rank's window of range `i` alone:
// the rest of the flat gradient stays this rank's share.
Status ScatterGradients(StepState& state, std::size_t i, const Note& note);

// The optimizer on this rank's windows.
optim::UpdateResult UpdateWindows(StepState& state);

// Puts all ranks' new parameters in place.
Status GatherParameters(StepState& state);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_SHARD_OPS_H_
