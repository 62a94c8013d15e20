// The running mean of the parameters (optim/ema.h), as an evaluation uses it.

#ifndef GYRE_TRAIN_STEP_EMA_PARAMETERS_H_
#define GYRE_TRAIN_STEP_EMA_PARAMETERS_H_

#include <optional>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/optim/ema.h"
#include "gyre/optim/layout.h"

namespace gyre::internal::inline train {

struct StepState;

// Returns a flat array of the layout. Errors: the chain keeps no mean (`place`
// is nothing); no step was applied yet; ranks hold parts of it (shard_states).
StatusOr<std::vector<float>> MeanParameters(
    const StepState& state, const std::optional<optim::EmaPlace>& place);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_EMA_PARAMETERS_H_
