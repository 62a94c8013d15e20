// What the plan's last operations do where a step has several micro-batches.

#ifndef GYRE_TRAIN_STEP_MICRO_OPS_H_
#define GYRE_TRAIN_STEP_MICRO_OPS_H_

#include "gyre/train/step/step_state.h"

namespace gyre::internal::inline train {

// Forgets the step before.
void BeginMicroBatches(StepState& s);

// After the scan: all ranks agree on the micro-batch in progress and add it to
// the sum, or not. After the last one the mean stands in the flat gradient.
// Collective.
Status JudgeMicroBatch(StepState& s);

// The verdict of the step, where its micro-batches leave no choice: none was
// accepted, the run must halt, or the loss scale must fall.
optim::Verdict OverruleByMicroBatches(const StepState& s,
                                      optim::Verdict verdict);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_MICRO_OPS_H_
