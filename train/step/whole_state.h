// Tensors that ranks hold in parts, put together and cut again: a checkpoint
// holds whole tensors, so that it fits every mesh.

#ifndef GYRE_TRAIN_STEP_WHOLE_STATE_H_
#define GYRE_TRAIN_STEP_WHOLE_STATE_H_

#include <span>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/core/tensor.h"
#include "gyre/mesh/mesh.h"
#include "gyre/models/part.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {

// The whole of which `mine` is this rank's part. Collective over the part's
// axes; of a tensor that every rank holds, a copy.
StatusOr<Tensor> GatherWhole(const Mesh& mesh,
                             const PartSpec& part,
                             std::span<const float> mine);

// This rank's part of a tensor of shape part.whole.
void TakeOwn(const Mesh& mesh,
             const PartSpec& part,
             const Tensor& whole,
             std::span<float> mine);

// State `k` of the optimizer in `arrays`, front or back, as a flat array of its
// layout: with shards, of all windows (collective), else a copy of what this
// rank has.
StatusOr<std::vector<float>> GatherState(const TrainState& state,
                                         const StateArrays& arrays,
                                         int k);

// This rank's part of such an array, in the order of StateArrays.
std::vector<float> TakeOwnState(const TrainState& state,
                                std::span<const float> flat);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_WHOLE_STATE_H_
