// A training program as text, to hold it against that of the other ranks.

#ifndef GYRE_TRAIN_STEP_PROGRAM_TEXT_H_
#define GYRE_TRAIN_STEP_PROGRAM_TEXT_H_

#include <string>
#include <vector>

#include "gyre/autodiff/tape.h"
#include "gyre/train/step/train_spec.h"

namespace gyre::internal::inline train {

// What decides the numbers of a run beside the batches: mesh, seed, kernels,
// optimizer, then every operation on the tape, with the user's lines.
std::vector<std::string> ProgramText(const TrainSpec& spec, const Tape& tape);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_PROGRAM_TEXT_H_
