// The running mean of the parameters (optim/ema.h), as an evaluation uses it.

#ifndef GYRE_TRAIN_STEP_EMA_PARAMETERS_H_
#define GYRE_TRAIN_STEP_EMA_PARAMETERS_H_

#include <vector>

#include "gyre/core/status.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {

// Returns a flat array of the layout. Errors: the optimizer keeps no mean; no
// step was applied yet; ranks hold parts of it (shard_states).
StatusOr<std::vector<float>> MeanParameters(const TrainState& state);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_EMA_PARAMETERS_H_
