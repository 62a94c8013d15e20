#include "gyre/train/replay/rewind.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "gyre/core/log.h"
#include "gyre/monitor/number_text.h"
#include "gyre/monitor/records/run_records.h"
#include "gyre/train/records/recorder.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {
namespace {

constexpr char kNote[] =
    "another run from this step on: curves before and after it are not "
    "strictly comparable";

bool SameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// The first step whose batch is another than the original's.
std::optional<std::int64_t> FirstChanged(const RewindRequest& request,
                                         const BatchSource& source) {
  if (request.leave_out.empty()) return request.before;
  return source.FirstReplaced(request.step, request.before);
}

}  // namespace

StatusOr<std::optional<RewindCheck>> RewindCheck::Begin(
    const TrainStep& step, const BatchSource& source, Recorder& recorder) {
  GYRE_ASSIGN_OR_RETURN(const std::optional<RewindRequest> request,
                        RewindRequest::Of(step.mesh().run_context()));
  if (!request.has_value()) return std::optional<RewindCheck>();
  const bool begins = step.next_step() == request->step;
  const bool from_there =
      step.state().resumed().is_null()
          ? request->checkpoint.empty()
          : step.state().resumed().GetString("from").value_or("") ==
                request->checkpoint;
  RewindCheck check(*request, step.mesh().rank());
  // A rewound run that was itself killed goes on from its own checkpoints.
  if (!begins || !from_there) {
    check.done_ = true;
    const std::string from =
        step.state().resumed().GetString("from").value_or("the start");
    if (from.rfind(request->out + "/", 0) == 0) {
      return std::optional<RewindCheck>(std::move(check));
    }
    return ConfigError(
        "gyre rewind: the program has begun with step ",
        step.next_step(),
        " from ",
        from,
        ", not from ",
        request->checkpoint,
        ": load what ResumePoint gives (train/checkpoint/resume.h)");
  }
  const auto changed = FirstChanged(*request, source);
  check.until_ = request->compare ? changed.value_or(request->step) : 0;
  // On all ranks, which see the same numbers and so come to the same end.
  if (check.until_ > request->step) {
    GYRE_RETURN_IF_ERROR(check.ReadOriginal());
  }
  Json fields = Json::Object({{"state", "begun"}});
  const Json about = request->ToJson();
  for (const auto& [key, value] : about.members()) {
    if (key != "step") fields.Set(key, value);  // the event's own
  }
  if (changed.has_value()) fields.Set("first_changed", *changed);
  fields.Set("compared_before", check.until_).Set("note", kNote);
  GYRE_RETURN_IF_ERROR(check.Tell(request->step, std::move(fields), recorder));
  return std::optional<RewindCheck>(std::move(check));
}

Status RewindCheck::ReadOriginal() {
  GYRE_ASSIGN_OR_RETURN(const RunRecords records,
                        ReadRunRecords(request_.original));
  // Of a step that was run twice, the last counts, as its checkpoint does.
  for (const Json& line : records.metrics) {
    const auto step = NumberIn(line, "step");
    const auto loss = NumberIn(line, "loss");
    const auto norm = NumberIn(line, "grad_norm");
    if (!step || !loss || !norm) continue;
    original_[static_cast<std::int64_t>(*step)] = {*loss, *norm};
  }
  return OkStatus();
}

Status RewindCheck::Tell(std::int64_t step,
                         Json fields,
                         Recorder& recorder) const {
  if (rank_ != 0) return OkStatus();
  return recorder.Write({.step = step,
                         .kind = std::string(event_kind::kRewind),
                         .fields = std::move(fields)});
}

Status RewindCheck::CheckSamples(const SampleBatch& batch) const {
  for (const std::int64_t id : batch.sample_ids) {
    const auto& out = request_.leave_out;
    if (std::find(out.begin(), out.end(), id) == out.end()) continue;
    return ConfigError("gyre rewind: sample ",
                       id,
                       " was to be left out and is in the batch: the source "
                       "must tell its ids to the sampler "
                       "(SamplerOptions::ids)");
  }
  return OkStatus();
}

Status RewindCheck::CheckStep(const StepReport& report, Recorder& recorder) {
  if (done_) return OkStatus();
  if (report.step < until_) {
    const auto wanted = original_.find(report.step);
    if (wanted == original_.end()) return OkStatus();  // lost in a crash
    if (!SameBits(wanted->second.loss, report.loss) ||
        !SameBits(wanted->second.norm, report.verdict.norm)) {
      return Diverged(report, wanted->second, recorder);
    }
    ++compared_;
  }
  if (report.step + 1 < until_) return OkStatus();
  done_ = true;
  if (compared_ > 0 && rank_ == 0) {
    LogInfo("rewind: ",
            compared_,
            compared_ == 1 ? " step" : " steps",
            " from step ",
            request_.step,
            " on came out as in the original, to the bit");
  }
  return Tell(
      report.step,
      Json::Object({{"state", compared_ > 0 ? "verified" : "not compared"},
                    {"steps", compared_}}),
      recorder);
}

Status RewindCheck::Diverged(const StepReport& report,
                             const Numbers& wanted,
                             Recorder& recorder) {
  done_ = true;
  GYRE_RETURN_IF_ERROR(Tell(report.step,
                            Json::Object({{"state", "diverged"},
                                          {"steps", compared_},
                                          {"loss", report.loss},
                                          {"original_loss", wanted.loss},
                                          {"norm", report.verdict.norm},
                                          {"original_norm", wanted.norm}}),
                            recorder));
  const std::string text =
      Cat("the rewound run is not the original: step ",
          report.step,
          " has loss ",
          NumberText(report.loss),
          " and norm ",
          NumberText(report.verdict.norm),
          ", where ",
          request_.original,
          " has ",
          NumberText(wanted.loss),
          " and ",
          NumberText(wanted.norm),
          ": the program, its data, the machine or the number of ranks has "
          "changed");
  if (request_.strict) {
    return MismatchError(text, "; --keep-going trains on all the same");
  }
  if (rank_ == 0) LogWarning(text);
  return OkStatus();
}

}  // namespace gyre::internal::inline train
