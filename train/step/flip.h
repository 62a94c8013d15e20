// Bits that turn over where a state lies in memory: the fault that only a
// comparison between ranks can find (train/step/consistency.h).
//
//   --inject flip_param@rank=2,step=50,tensor=hidden0.w,element=3
//   --inject flip_moment@rank=0,step=7         the optimizer's first state

#ifndef GYRE_TRAIN_STEP_FLIP_H_
#define GYRE_TRAIN_STEP_FLIP_H_

#include "gyre/core/status.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/optim/layout.h"
#include "gyre/train/faults/inject.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {

// Error: a moment of an optimizer that has none.
Status CheckFlips(const FaultPlan& faults,
                  const optim::AnyOptimizer& optimizer,
                  const optim::FlatLayout& layout);

// The flips of the step in progress, into the front of this rank's state.
void FlipBits(const TrainState& state, StepFaults& faults);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_FLIP_H_
