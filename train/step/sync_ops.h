// What ranks tell each other when a step ends: their gradients, and, where
// they hold different parts of the parameters, what a rank cannot know of the
// parts of others. For train/step/step_ops.cc.

#ifndef GYRE_TRAIN_STEP_SYNC_OPS_H_
#define GYRE_TRAIN_STEP_SYNC_OPS_H_

#include "gyre/core/status.h"
#include "gyre/mesh/control_record.h"
#include "gyre/optim/update.h"
#include "gyre/train/step/step_state.h"

namespace gyre::internal::inline train {

// Adds the gradients where they lie. `note` reaches all ranks of the world:
// it is in world().records() afterwards.
Status AddGradients(StepState& state, const Note& note);

// Whether the hashes that all ranks told are equal.
void NoteHashes(StepState& state);

// How a collective of gradients is named: range or bucket `i`.
CallSite GradientSite(const StepState& state, std::size_t i, const Note& note);

// The norm of the reduced gradient, equal on all ranks.
double ReducedNorm(const StepState& state);

// Makes what ranks that update different parts have found equal on all.
Status AgreeOnUpdate(StepState& state, optim::UpdateResult& result);

// Hashes the current parameters and buffers: what all ranks hold, and the
// parts.
void HashState(StepState& state);

// Whether what PrepareCheck (train/step/rank_check.h) has hashed is the same on
// all ranks that hold it. Collective.
StatusOr<bool> ChecksEqual(const StepState& state);

// Collective.
StatusOr<StateHash> GatherHashes(const StepState& state);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_SYNC_OPS_H_
