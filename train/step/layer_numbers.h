// How large the numbers of each tensor are in a step.
//
//   {"grad_norm": {"hidden0.w": 0.31, ...}, "grad_max": {...},
//    "param_norm": {...}, "update_ratio": {...}, "m_norm": {...}, ...}
//
// Gradients are global and before clipping, so that the root of the sum of
// squares of their norms is the step's norm. update_ratio is what the step
// changed over what was there, |new - old| / |old|, from the f32 parameters; a
// step that was not applied, and a tensor of zeros, has none. Optimizer states
// are named as the optimizer names them. Norms are the root of the sum of
// squares, but of activations the root of the mean square, which does not
// depend on the size of the batch.
//
// Of a tensor that is cut over the ranks, these are the numbers of this rank's
// part. With TrainSpec::shard_states no rank has whole gradients and states,
// and their norms are left out.

#ifndef GYRE_TRAIN_STEP_LAYER_NUMBERS_H_
#define GYRE_TRAIN_STEP_LAYER_NUMBERS_H_

#include "gyre/core/io/json.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {

// After a step and before the next one. The same on all ranks.
Json LayerNumbers(const TrainStep& step, const StepReport& report);

// {"local_norm": {...}}: of this rank's own gradient, before it was reduced.
Json LocalLayerNumbers(const TrainStep& step, const StepReport& report);

// {"act_norm": {"hidden0": ...}, "act_max": {...}}: what the layers' products
// made of this rank's batch (train/step/activations.h), root mean square
// and largest magnitude; empty without TrainSpec::watch_activations.
Json ActivationNumbers(const TrainStep& step);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_LAYER_NUMBERS_H_
