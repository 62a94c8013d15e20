// Where the tensors of a program lie in flat arrays.

#ifndef GYRE_TRAIN_STEP_PARAMETER_LAYOUT_H_
#define GYRE_TRAIN_STEP_PARAMETER_LAYOUT_H_

#include "gyre/core/status.h"
#include "gyre/optim/layout.h"
#include "gyre/train/step/traced_program.h"

namespace gyre::internal::inline train {

// With TrainSpec::shard_states, ranges of tensors that are added over the same
// axes divide by their ranks. Errors: names and scales that a layout refuses.
StatusOr<optim::FlatLayout> ParameterLayout(const TrainSpec& spec,
                                            const TracedProgram& program);
StatusOr<optim::FlatLayout> BufferLayout(const TracedProgram& program);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_PARAMETER_LAYOUT_H_
