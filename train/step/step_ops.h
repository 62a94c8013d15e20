// The end of every training step, as operations of its plan:
//
//   guard.scan      counts what is not finite in this rank's gradient
//   grads.reduce    adds the ranks' gradients where they lie
//   guard.judge     the verdict and the clip, equal on all ranks
//   optimizer       the new parameters, into the bank that is not current
//
// They run in this order whatever the numbers are. Each takes the one before
// it as an input, so that the order is part of the program.

#ifndef GYRE_TRAIN_STEP_STEP_OPS_H_
#define GYRE_TRAIN_STEP_STEP_OPS_H_

#include <memory>
#include <span>

#include "gyre/autodiff/tape.h"
#include "gyre/train/step/step_state.h"

namespace gyre::internal::inline train {

// Records them. `grads` are this rank's gradients, one per tensor of the
// layout, which the plan places in the flat gradient.
void RecordStepEnd(Tape& tape,
                   const std::shared_ptr<StepState>& state,
                   Var loss,
                   std::span<const Var> grads);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_STEP_OPS_H_
