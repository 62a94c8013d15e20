// From a TrainSpec to the parts of a training step.

#ifndef GYRE_TRAIN_STEP_COMPILE_H_
#define GYRE_TRAIN_STEP_COMPILE_H_

#include <functional>
#include <memory>

#include "gyre/core/status.h"
#include "gyre/train/step/reducer.h"
#include "gyre/train/step/step_end.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_spec.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {

struct StepParts {
  explicit StepParts(const TrainSpec& given) : spec(given) {
    spec.example = {};
  }

  TrainSpec spec;  // without the example's numbers
  std::unique_ptr<TrainState> state;
  float* grads = nullptr;  // flat, of state->layout()
  std::unique_ptr<Reducer> reducer;
  std::unique_ptr<StepProgram> program;
  std::unique_ptr<StepEnd> end;
};

using MakeStepEnd =
    std::function<std::unique_ptr<StepEnd>(const StepEnd::Parts& parts)>;

// Traces, compiles, allocates. `make_end`: null, or what ends the steps in the
// place of StepEnd. Errors as of TrainStep::Compile.
StatusOr<StepParts> CompileParts(const TrainSpec& spec,
                                 const MakeStepEnd& make_end = nullptr);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_COMPILE_H_
