#include "gyre/train/replay/replay.h"

#include <algorithm>
#include <utility>

#include "gyre/autodiff/plan/plan.h"
#include "gyre/core/hash.h"
#include "gyre/core/io/file.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/records/cause_record.h"
#include "gyre/train/replay/step_result.h"
#include "gyre/train/step/step_program.h"

namespace gyre::internal::inline train {
namespace {

// The kept batch of this rank: every rank has its own, or none goes on.
StatusOr<SampleBatch> KeptBatch(const std::string& folder, const Mesh& mesh) {
  const auto read = [&]() -> StatusOr<SampleBatch> {
    GYRE_ASSIGN_OR_RETURN(const Evidence evidence, ReadEvidence(folder));
    return ReadBatch(evidence, mesh.rank(), mesh.size());
  };
  StatusOr<SampleBatch> batch = read();
  GYRE_RETURN_IF_ERROR(
      OutcomeOfAll(batch.status(), mesh.world(), "kept batch read"));
  return batch;
}

}  // namespace

StatusOr<TrainSpec> ForReplay(TrainSpec spec, const ReplayRequest& request) {
  GYRE_ASSIGN_OR_RETURN(spec.example, KeptBatch(request.evidence, spec.mesh));
  const ReplayChanges& changes = request.changes;
  spec.compute = changes.precision.value_or(spec.compute);
  spec.kernels = changes.kernels.value_or(spec.kernels);
  spec.jit = changes.jit.value_or(spec.jit);
  return spec;
}

Status ReplayStep(TrainStep& step,
                  const BatchSource& source,
                  const ReplayRequest& request) {
  GYRE_ASSIGN_OR_RETURN(const SampleBatch batch,
                        KeptBatch(request.evidence, step.mesh()));
  GYRE_RETURN_IF_ERROR(ReadState(request.evidence, step));
  GYRE_ASSIGN_OR_RETURN(const StepReport report, step.Run(batch));
  GYRE_ASSIGN_OR_RETURN(const Json causes,
                        GatherCauses(step, report, batch, source));
  GYRE_ASSIGN_OR_RETURN(const Json result,
                        GatherStepResult(step, report, batch));
  const Json json = Json::Object(
      {{"step", report.step},
       {"fingerprint", HexHash(step.program().plan().Fingerprint())},
       {"world", step.mesh().size()},
       {"result", result},
       {"cause", causes}});
  return DoneByRankZero(
      [&] { return WriteFileAtomically(request.result(), json.Pretty()); },
      step.mesh().world(),
      "end of the replay");
}

}  // namespace gyre::internal::inline train
