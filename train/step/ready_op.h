// An operation that tells the listener of a run (StepContext::listener) that
// values are there, as soon as they are.

#ifndef GYRE_TRAIN_STEP_READY_OP_H_
#define GYRE_TRAIN_STEP_READY_OP_H_

#include <span>
#include <string>

#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline train {

// Records it under the number `event`; `name` in listings. Its one output
// stands for "told": as an operand of another it makes the order of the two a
// part of the program.
Var RecordReady(Tape& tape,
                std::string name,
                int event,
                std::span<const Var> operands);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_READY_OP_H_
