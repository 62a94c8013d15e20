#include "gyre/train/replay.h"

#include <algorithm>
#include <utility>

#include "gyre/autodiff/plan/plan.h"
#include "gyre/core/hash.h"
#include "gyre/core/io/file.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/cause_record.h"
#include "gyre/train/checkpoint.h"
#include "gyre/train/step_result.h"

namespace gyre::internal::inline train {
namespace {

Status Apply(std::string_view word, ReplayChanges& changes) {
  if (word == "precision=f64") {
    changes.precision = DType::kF64;
  } else if (word == "precision=f32") {
    changes.precision = DType::kF32;
  } else if (word == "kernels=reference") {
    changes.kernels = KernelSet::kReference;
  } else if (word == "kernels=fast") {
    changes.kernels = KernelSet::kFast;
  } else if (word == "jit=off") {
    changes.jit = false;
  } else if (word == "jit=on") {
    changes.jit = true;
  } else {
    return ConfigError("GYRE_REPLAY_WITH has \"",
                       word,
                       "\"; expected precision=f64, precision=f32, "
                       "kernels=reference, kernels=fast, jit=off or jit=on");
  }
  return OkStatus();
}

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

StatusOr<ReplayChanges> ReplayChanges::Parse(std::string_view text) {
  ReplayChanges changes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    GYRE_RETURN_IF_ERROR(Apply(text.substr(0, end), changes));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return changes;
}

StatusOr<std::optional<ReplayRequest>> ReplayRequest::Of(
    const RunContext& context) {
  ReplayRequest request;
  request.evidence = context.replay;
  if (request.evidence.empty()) return std::optional<ReplayRequest>();
  request.out = context.replay_out;
  if (request.out.empty()) {
    return ConfigError(
        "GYRE_REPLAY is set and GYRE_REPLAY_OUT is not: gyre replay sets "
        "both; unset GYRE_REPLAY to train");
  }
  GYRE_ASSIGN_OR_RETURN(request.changes,
                        ReplayChanges::Parse(context.replay_with));
  return std::optional<ReplayRequest>(std::move(request));
}

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
  const Json json =
      Json::Object({{"step", report.step},
                    {"fingerprint", HexHash(step.plan().Fingerprint())},
                    {"world", step.mesh().size()},
                    {"result", result},
                    {"cause", causes}});
  return DoneByRankZero(
      [&] { return WriteFileAtomically(request.result(), json.Pretty()); },
      step.mesh().world(),
      "end of the replay");
}

}  // namespace gyre::internal::inline train
