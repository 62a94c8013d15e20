// TrainStep::Compile: as given, or, in a replay, for the kept batch and with
// what the replay changes.

#include <utility>

#include "gyre/train/replay/replay.h"
#include "gyre/train/step/compile.h"
#include "gyre/train/step/train_step.h"

namespace gyre {

using namespace internal;

StatusOr<std::unique_ptr<TrainStep>> TrainStep::Compile(
    const TrainSpec& given) {
  GYRE_ASSIGN_OR_RETURN(const auto replay,
                        ReplayRequest::Of(given.mesh.run_context()));
  TrainSpec spec = given;
  if (replay.has_value()) {
    GYRE_ASSIGN_OR_RETURN(spec, ForReplay(given, *replay));
  }
  GYRE_ASSIGN_OR_RETURN(StepParts parts, CompileParts(spec));
  return std::make_unique<TrainStep>(std::move(parts));
}

}  // namespace gyre
