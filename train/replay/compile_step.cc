// TrainStep::Compile: as given, or, in a replay, for the kept batch and with
// what the replay changes.

#include "gyre/train/replay/replay.h"
#include "gyre/train/step/train_step.h"

namespace gyre {

using namespace internal;

StatusOr<std::unique_ptr<TrainStep>> TrainStep::Compile(
    const TrainSpec& given) {
  GYRE_ASSIGN_OR_RETURN(const auto replay,
                        ReplayRequest::Of(given.mesh.run_context()));
  if (!replay.has_value()) return CompileAsGiven(given);
  GYRE_ASSIGN_OR_RETURN(const TrainSpec spec, ForReplay(given, *replay));
  return CompileAsGiven(spec);
}

}  // namespace gyre
