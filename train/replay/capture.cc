#include "gyre/train/replay/capture.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "gyre/core/hash.h"
#include "gyre/core/io/file.h"
#include "gyre/core/log.h"
#include "gyre/mesh/gather_texts.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/records/recorder.h"
#include "gyre/train/replay/evidence.h"
#include "gyre/train/replay/step_result.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {
namespace {

// The same on all ranks, as shapes are.
std::int64_t BytesOf(const TrainStep& step, const SampleBatch& batch) {
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : batch.tensors) {
    bytes += static_cast<std::int64_t>(tensor.bytes());
  }
  return bytes * step.mesh().size() +
         static_cast<std::int64_t>(
             step.state().before().arrays.all().size_bytes());
}

// A rank's entry, or {"error"}.
Json Written(const StatusOr<Json>& batch) {
  if (batch.ok()) return *batch;
  return Json::Object({{"error", Message(batch.status())}});
}

// Takes `hashes` out of the ranks' entries, into those of the manifest.
Status AddBatches(const std::vector<std::string>& texts, Json& manifest) {
  Json hashes = *manifest.Find("hashes");
  Json files = *manifest.Find("files");
  Json batches = Json::Array();
  for (const std::string& text : texts) {
    GYRE_ASSIGN_OR_RETURN(const Json entry, Json::Parse(text, "a batch"));
    Json kept = Json::Object();
    for (const auto& [key, value] : entry.members()) {
      if (key == "error") return CheckpointError(*value.AsString());
      if (key == "file") files.Append(value);
      if (key != "hashes") {
        kept.Set(key, value);
        continue;
      }
      for (const auto& [name, hash] : value.members()) hashes.Set(name, hash);
    }
    batches.Append(std::move(kept));
  }
  manifest.Set("files", std::move(files))
      .Set("hashes", std::move(hashes))
      .Set("batches", std::move(batches));
  return OkStatus();
}

// What the program had recorded of itself; null if it cannot be read.
Json RunJsonOf(const RunDirectory& run) {
  const auto text = ReadFile(run.run_json());
  if (!text.ok()) return Json();
  return Json::Parse(*text, run.run_json()).value_or(Json());
}

Status WriteManifest(const TrainStep& step,
                     const StepReport& report,
                     StatusOr<Json> state,
                     const std::vector<std::string>& batches,
                     const Json& result,
                     const RunDirectory& run) {
  const std::string folder = run.evidence(report.step);
  GYRE_ASSIGN_OR_RETURN(Json manifest, std::move(state));
  GYRE_RETURN_IF_ERROR(AddBatches(batches, manifest));
  GYRE_ASSIGN_OR_RETURN(const EvidenceStart start,
                        ReadEvidenceStart(step.mesh().run_context()));
  const TrainTraits& traits = step.program().traits();
  const bool fast = traits.kernels == KernelSet::kFast;
  manifest.Set("kind", "step")
      .Set("good", false)  // to resume from
      .Set("step", report.step)
      .Set("world", step.mesh().size())
      .Set("collectives", step.mesh().world().backend())
      .Set("reduction_order", step.mesh().world().reduction_order())
      .Set("seed", HexHash(traits.seed))
      .Set("precision", Name(traits.compute))
      .Set("kernels", fast ? "fast" : "reference")
      .Set("jit", traits.jit)
      .Set("micro_batches", step.program().traits().micro_batches)
      .Set("started", ToJson(start))
      .Set("run", RunJsonOf(run))
      .Set("result", result);
  return WriteFileAtomically(
      folder + "/manifest.json", manifest.Pretty(), ErrorKind::kCheckpoint);
}

}  // namespace

bool Capture::Wanted(const TrainStep& step,
                     const StepReport& report,
                     const SampleBatch& batch) {
  const bool clean = report.verdict.reasons == 0 && report.micro.empty();
  if (clean || report.verdict.overflow || limits_.steps == 0) return false;
  const std::int64_t bytes = BytesOf(step, batch);
  const bool room = steps_ < limits_.steps && bytes_ + bytes <= limits_.bytes;
  if (room) {
    ++steps_;
    bytes_ += bytes;
    return true;
  }
  if (!told_ && step.mesh().rank() == 0) {
    LogInfo("step ",
            report.step,
            " is bad and not kept for gyre replay: the limit is ",
            limits_.steps,
            " steps, ",
            limits_.bytes,
            " bytes, and ",
            steps_,
            " are kept (LoopOptions::capture)");
  }
  told_ = true;
  return false;
}

Status Capture::Keep(TrainStep& step,
                     const StepReport& report,
                     const SampleBatch& batch,
                     const BatchSource& source,
                     Recorder& recorder) {
  if (!Wanted(step, report, batch)) return OkStatus();
  const std::string folder = run_.evidence(report.step);
  const std::string manifest = folder + "/manifest.json";
  const int rank = step.mesh().rank();
  // Of an attempt before a restart.
  if (rank == 0) ::unlink(manifest.c_str());
  GYRE_ASSIGN_OR_RETURN(const Json result,
                        GatherStepResult(step, report, batch));
  const Json mine =
      Written(WriteBatch(folder, report.step, rank, batch, source));
  GYRE_ASSIGN_OR_RETURN(
      const std::vector<std::string> batches,
      GatherTexts(mine.Dump(), step.mesh().world(), "kept batches"));
  StatusOr<Json> state = WriteState(step, step.state().before(), folder);
  // Files that cannot be written are a warning; what the ranks tell each other
  // is not.
  if (!state.ok() && KindOf(state.status()) != ErrorKind::kCheckpoint) {
    return state.status();
  }
  if (rank != 0) return OkStatus();
  const Status written =
      WriteManifest(step, report, std::move(state), batches, result, run_);
  Json fields = Json::Object();
  if (written.ok()) {
    fields.Set("file", Cat("evidence/", StepName(report.step)))
        .Set("replay",
             Cat("gyre replay ", run_.path(), " --step ", report.step));
  } else {
    LogWarning("step ",
               report.step,
               " is not kept for gyre replay: ",
               Message(written));
    fields.Set("error", Message(written));
  }
  return recorder.Write({.step = report.step,
                         .kind = std::string(event_kind::kCapture),
                         .fields = std::move(fields)});
}

}  // namespace gyre::internal::inline train
