#include "gyre/train/records/recorder.h"

#include <algorithm>
#include <utility>

#include "gyre/core/clock.h"
#include "gyre/core/hash.h"
#include "gyre/core/io/file.h"
#include "gyre/core/log.h"
#include "gyre/monitor/error_event.h"
#include "gyre/train/records/cause_record.h"
#include "gyre/train/records/findings.h"
#include "gyre/train/records/probe_record.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {
namespace {

// How many first causes are told on the terminal; all are in the events.
constexpr int kLoggedCauses = 3;
// Of the steps that led to a spike, the samples of these are named.
constexpr std::int64_t kNamedSteps = 4;

std::string_view KindOfVerdict(const optim::Verdict& verdict, bool unguarded) {
  switch (verdict.action) {
    case optim::Action::kApply:
      if (verdict.reasons == optim::kReasonSpike) return event_kind::kSpike;
      // Bad elements set to 0 or bad ranks left out, or let through.
      return unguarded ? event_kind::kObserved : event_kind::kRepaired;
    case optim::Action::kSkip:
      return event_kind::kSkip;
    case optim::Action::kHalt:
      return event_kind::kHalt;
  }
  return event_kind::kError;
}

std::string VerdictName(const optim::Verdict& verdict, bool unguarded) {
  return std::string(verdict.clean() ? "clean"
                                     : KindOfVerdict(verdict, unguarded));
}

// Of a step, or of one of its micro-batches.
Json VerdictFields(const TrainStep& step,
                   const optim::Verdict& verdict,
                   const std::vector<RankFindings>& findings,
                   const BatchSource& source) {
  Json fields = FindingsJson(findings, source);
  if (verdict.bad_update_tensor >= 0) {
    fields.Set("update_tensor",
               step.state().layout()[verdict.bad_update_tensor].name);
  }
  if (verdict.overflow) fields.Set("loss_scale", verdict.loss_scale);
  fields.Set("norm", verdict.norm)
      .Set("finite", (verdict.reasons & ~optim::kReasonsTooLarge) == 0)
      .Set("reason", verdict.Describe(step.state().layout()))
      .Set("decision", HexHash(verdict.id));
  return fields;
}

std::int64_t BadElements(const optim::Verdict& verdict) {
  std::int64_t count = verdict.bad_update_elements;
  for (const optim::RankFinding& f : verdict.ranks) count += f.elements;
  return count;
}

}  // namespace

StatusOr<std::unique_ptr<Recorder>> Recorder::Open(const RunDirectory& run,
                                                   int rank,
                                                   std::int64_t first_step) {
  GYRE_ASSIGN_OR_RETURN(EventLog events, EventLog::Open(run.events(), rank));
  std::unique_ptr<Recorder> recorder(
      new Recorder(run, std::move(events), rank));
  GYRE_RETURN_IF_ERROR(CreateDirectories(run.path() + "/flight"));
  recorder->flight_ = std::make_unique<FlightRecorder>(rank);
  recorder->flight_path_ = run.flight_log(rank);
  recorder->signal_dump_ =
      std::make_unique<SignalDump>(*recorder->flight_, recorder->flight_path_);
  GYRE_RETURN_IF_ERROR(recorder->GoOn(first_step));
  return recorder;
}

Status Recorder::GoOn(std::int64_t first_step) {
  GYRE_ASSIGN_OR_RETURN(RankLog rank_log, RankLog::Open(run_.rank_log(rank_)));
  rank_log_.emplace(std::move(rank_log));
  if (rank_ != 0) return OkStatus();
  GYRE_ASSIGN_OR_RETURN(MetricsLog metrics, MetricsLog::Open(run_.metrics()));
  metrics_.emplace(std::move(metrics));
  GYRE_ASSIGN_OR_RETURN(
      TensorboardWriter board,
      board_path_.empty()
          ? TensorboardWriter::Open(run_.path() + "/tensorboard", first_step)
          : TensorboardWriter::Append(board_path_));
  board_path_ = board.path();
  board_.emplace(std::move(board));
  return OkStatus();
}

Status Recorder::Flush() {
  if (rank_log_.has_value()) GYRE_RETURN_IF_ERROR(rank_log_->Flush());
  if (metrics_.has_value()) GYRE_RETURN_IF_ERROR(metrics_->Flush());
  return board_.has_value() ? board_->Flush() : OkStatus();
}

void Recorder::set_telemetry(int every) {
  if (telemetry_.has_value() && telemetry_every_ == every) return;
  telemetry_every_ = every;
  telemetry_.emplace(every);
}

Status Recorder::Look(const TrainStep& step,
                      const StepReport& report,
                      const SampleBatch& batch,
                      const BatchSource& source) {
  GYRE_ASSIGN_OR_RETURN(probes_, GatherProbes(step, report.step));
  if (!telemetry_.has_value()) return OkStatus();
  const Stopwatch watch;
  GYRE_RETURN_IF_ERROR(telemetry_->Look(step, report, batch, source));
  look_seconds_ = watch.Seconds();
  for (const std::string& text : telemetry_->complaints()) {
    GYRE_RETURN_IF_ERROR(
        events_.Write({.step = report.step,
                       .kind = std::string(event_kind::kMachine),
                       .fields = Json::Object({{"text", text}})}));
  }
  return OkStatus();
}

Status Recorder::Record(const TrainStep& step,
                        const StepReport& report,
                        const BatchSource& source) {
  const Stopwatch watch;
  if (report.injected > 0) {
    GYRE_RETURN_IF_ERROR(
        events_.Write({.step = report.step,
                       .kind = std::string(event_kind::kInjected),
                       .fields = Json::Object({{"faults", report.injected}})}));
  }
  if (report.desync.has_value()) {
    GYRE_RETURN_IF_ERROR(RecordDesync(*report.desync));
  }
  for (const SourceLoc& loc : report.empty_masks) {
    if (rank_ != 0) break;
    GYRE_RETURN_IF_ERROR(
        events_.Write({.step = report.step,
                       .kind = std::string(event_kind::kEmptyMask),
                       .fields = Json::Object({{"line", loc.ToString()}})}));
  }
  RecordFlight(step, report);
  GYRE_RETURN_IF_ERROR(RecordMicroBatches(step, report, source));
  if (report.verdict.reasons != 0) {
    DumpFlight(VerdictName(report.verdict,
                           step.state().optimizer().guard().unguarded()));
    GYRE_RETURN_IF_ERROR(RecordBadStep(step, report, source));
  }
  if (rank_ == 0) {
    GYRE_RETURN_IF_ERROR(RecordSpikes(step, report, source));
    GYRE_RETURN_IF_ERROR(RecordDivergence(report));
  }
  look_seconds_ += watch.Seconds();
  return OkStatus();
}

Status Recorder::WriteLines(const TrainStep& step,
                            const StepReport& report,
                            const RunMetrics& metrics) {
  const Stopwatch watch;
  Json own = telemetry_.has_value() ? telemetry_->rank() : Json::Object();
  for (const auto& [name, value] : metrics.local()) own.Set(name, value);
  GYRE_RETURN_IF_ERROR(rank_log_->Write(
      {.step = report.step,
       .local_norm = step.last().findings->Norm() / report.loss_scale,
       .bad_elements = step.last().findings->bad_elements(),
       .decision = report.verdict.id,
       .step_ms = report.seconds * 1e3,
       .wait_ms = report.reduce_seconds * 1e3,
       .more = std::move(own)}));
  if (rank_ == 0) GYRE_RETURN_IF_ERROR(RecordMetrics(step, report, metrics));
  if (telemetry_.has_value()) {
    telemetry_->Spent(look_seconds_ + watch.Seconds());
  }
  return OkStatus();
}

Status Recorder::RecordSpikes(const TrainStep& step,
                              const StepReport& report,
                              const BatchSource& source) {
  TraceRow row;
  row.step = report.step;
  row.loss = report.loss;
  row.grad_norm = report.verdict.norm;
  row.accepted = report.applied;
  for (const LiveSpike& spike : spikes_.Observe(row)) {
    Json samples = Json::Array();
    Json names = Json::Array();
    const std::int64_t from =
        std::max({spike.first, spike.step - kNamedSteps + 1, std::int64_t{0}});
    for (std::int64_t s = from; s <= spike.step; ++s) {
      for (int rank = 0; rank < step.mesh().size(); ++rank) {
        for (const std::int64_t id : source.SampleIds(s, rank)) {
          samples.Append(id);
          names.Append(source.SampleName(id));
        }
      }
    }
    GYRE_RETURN_IF_ERROR(events_.Write(
        {.step = report.step,
         .kind = std::string(event_kind::kSpike),
         .fields = Json::Object({{"signal", NameOf(spike.signal)},
                                 {"first_step", spike.first},
                                 {"loss", report.loss},
                                 {"norm", report.verdict.norm},
                                 {"baseline", spike.baseline},
                                 {"scales", spike.z},
                                 {"lr", report.lr},
                                 {"samples", std::move(samples)},
                                 {"sample_names", std::move(names)},
                                 {"text", spike.Describe()}})}));
  }
  return OkStatus();
}

Status Recorder::RecordDivergence(const StepReport& report) {
  if (!report.applied) return OkStatus();  // it has moved nothing
  const auto texts = divergence_.Observe({.step = report.step,
                                          .loss = report.loss,
                                          .norm = report.verdict.norm,
                                          .clipped = report.verdict.clip < 1});
  for (const std::string& text : texts) {
    LogWarning(text);
    GYRE_RETURN_IF_ERROR(
        events_.Write({.step = report.step,
                       .kind = std::string(event_kind::kDivergence),
                       .fields = Json::Object({{"text", text}})}));
  }
  return OkStatus();
}

Status Recorder::RecordDesync(const Desync& desync) {
  if (rank_ != 0) return OkStatus();
  return events_.Write({.step = desync.step,
                        .kind = std::string(event_kind::kDesync),
                        .fields = desync.ToJson()});
}

Status Recorder::RecordMicroBatches(const TrainStep& step,
                                    const StepReport& report,
                                    const BatchSource& source) {
  for (const MicroFinding& micro : report.micro) {
    GYRE_ASSIGN_OR_RETURN(const std::vector<RankFindings> findings,
                          GatherFindings(step, report, source, micro));
    Json fields = VerdictFields(step, micro.verdict, findings, source);
    fields.Set("micro_batch", micro.index)
        .Set("accepted", micro.verdict.applies());
    if (rank_ != 0) continue;
    GYRE_RETURN_IF_ERROR(events_.Write(
        {.step = report.step,
         .kind = std::string(KindOfVerdict(
             micro.verdict, step.state().optimizer().guard().unguarded())),
         .fields = std::move(fields)}));
  }
  return OkStatus();
}

Status Recorder::RecordBadStep(const TrainStep& step,
                               const StepReport& report,
                               const BatchSource& source) {
  GYRE_ASSIGN_OR_RETURN(const std::vector<RankFindings> findings,
                        GatherFindings(step, report, source));
  const optim::Verdict& verdict = report.verdict;
  Json fields = VerdictFields(step, verdict, findings, source);
  fields.Set("loss", report.loss).Set("applied", report.applied);
  if (!report.applied && !first_skip_.has_value()) {
    first_skip_ = Json::Object({{"step", report.step}});
    for (const char* key : {"ranks", "tensors", "samples", "sample_names"}) {
      first_skip_->Set(key, *fields.Find(key));
    }
  }
  if (rank_ != 0) return OkStatus();
  TellOfLargeNorm(step, report, findings);
  return events_.Write(
      {.step = report.step,
       .kind = std::string(KindOfVerdict(
           verdict, step.state().optimizer().guard().unguarded())),
       .fields = std::move(fields)});
}

// A bad number is told with its cause; a finite one has none but its size.
void Recorder::TellOfLargeNorm(const TrainStep& step,
                               const StepReport& report,
                               const std::vector<RankFindings>& findings) {
  if ((report.verdict.reasons & optim::kReasonAbsurd) == 0) return;
  if (large_norms_++ >= kLoggedCauses) return;
  std::string where;
  for (const RankFindings& f : findings) {
    for (const TensorCount& t : f.tensors) {
      if (t.norm == 0) continue;
      where += Cat("\n  rank ",
                   f.rank,
                   ": ",
                   t.tensor,
                   " has norm ",
                   t.norm,
                   ", most of it in element ",
                   t.first_element,
                   "; samples");
      for (const std::int64_t id : f.samples) where += Cat(" ", id);
    }
  }
  LogWarning("step ",
             report.step,
             ": ",
             report.verdict.Describe(step.state().layout()),
             where);
}

Status Recorder::RecordCause(TrainStep& step,
                             const StepReport& report,
                             const SampleBatch& batch,
                             const BatchSource& source) {
  // What all ranks know alike; an overflow of the loss scale is no fault.
  if ((report.verdict.reasons & optim::kReasonsNotFinite) == 0 ||
      report.verdict.overflow || causes_ == kMaxCauses) {
    return OkStatus();
  }
  ++causes_;
  GYRE_ASSIGN_OR_RETURN(const Json causes,
                        GatherCauses(step, report, batch, source));
  if (rank_ != 0) return OkStatus();
  GYRE_RETURN_IF_ERROR(run_.WriteCause(report.step, causes));
  const Json& first = *causes.Find("first");
  Json fields = Json::Object();
  std::string text =
      "loss and gradients are finite on every rank when the step is run again: "
      "the number appeared after the backward pass";
  if (!first.is_null()) {
    for (const char* key : {"operation",
                            "phase",
                            "line",
                            "element",
                            "value",
                            "sample_name",
                            "where"}) {
      if (const Json* value = first.Find(key)) fields.Set(key, *value);
    }
    GYRE_ASSIGN_OR_RETURN(const std::int64_t rank, first.GetInt("rank"));
    GYRE_ASSIGN_OR_RETURN(const std::string sentence, first.GetString("text"));
    fields.Set("at_rank", rank);
    text = Cat("rank ", rank, ": ", sentence);
  }
  fields.Set("text", text);
  fields.Set("file", run_.CauseName(report.step));
  if (causes_ <= kLoggedCauses) {
    LogWarning("step ", report.step, ": ", text);
  }
  return events_.Write({.step = report.step,
                        .kind = std::string(event_kind::kCause),
                        .fields = std::move(fields)});
}

Status Recorder::RecordMetrics(const TrainStep& step,
                               const StepReport& report,
                               const RunMetrics& added) {
  const optim::GuardState& guard = step.state().guard();
  Json more = Json::Object();
  if (step.state().optimizer().guard().loss_scale.on()) {
    more.Set("loss_scale", report.loss_scale);
  }
  if (step.program().traits().micro_batches > 1) {
    more.Set("micro_batches", report.accepted_micro_batches);
  }
  std::vector<TensorboardWriter::Scalar> scalars = {
      {"loss", report.loss},
      {"grad_norm", report.verdict.norm},
      {"clip_scale", report.verdict.clip},
      {"lr", report.lr},
      {"skipped", static_cast<double>(guard.skipped)},
      {"time/step_ms", report.seconds * 1e3},
      {"time/wait_ms", report.reduce_seconds * 1e3}};
  for (const auto& [name, value] : added.shared()) {
    scalars.emplace_back(name, value);
    more.Set(name, value);
  }
  for (const auto& [name, numbers] : probes_.members()) {
    for (const char* key : {"mean", "least", "largest", "bad"}) {
      const StatusOr<double> number = numbers.GetDouble(key);
      if (!number.ok()) continue;
      scalars.emplace_back(Cat("probe/", name, "/", key), *number);
    }
  }
  if (!probes_.members().empty()) more.Set("probes", probes_);
  GYRE_RETURN_IF_ERROR(
      board_->Write(report.step, scalars, !report.verdict.clean()));
  if (report.last_arrival.has_value()) {
    more.Set("last_rank", report.last_arrival->rank)
        .Set("last_behind_ms",
             1e-6 * static_cast<double>(report.last_arrival->behind_ns));
  }
  if (telemetry_.has_value()) {
    for (const auto& [key, value] : telemetry_->metrics().members()) {
      more.Set(key, value);
    }
  }
  return metrics_->Write(
      {.step = report.step,
       .loss = report.loss,
       .grad_norm = report.verdict.norm,
       .clip_scale = report.verdict.clip,
       .lr = report.lr,
       .verdict = VerdictName(report.verdict,
                              step.state().optimizer().guard().unguarded()),
       .applied = report.applied,
       .skipped = guard.skipped,
       .bad_count = BadElements(report.verdict),
       .step_ms = report.seconds * 1e3,
       .wait_ms = report.reduce_seconds * 1e3,
       .more = std::move(more)});
}

Status Recorder::RecordStop(std::int64_t step, const std::string& why) {
  if (rank_ != 0) return OkStatus();
  return events_.Write({.step = step,
                        .kind = std::string(event_kind::kStop),
                        .fields = Json::Object({{"text", why}})});
}

void Recorder::RecordFlight(const TrainStep& step, const StepReport& report) {
  flight_->Step({.step = report.step,
                 .loss = report.loss,
                 .grad_norm = report.verdict.norm,
                 .local_norm = step.last().findings->Norm() / report.loss_scale,
                 .lr = report.lr,
                 .step_ms = report.seconds * 1e3,
                 .wait_ms = report.reduce_seconds * 1e3,
                 .bad_elements = step.last().findings->bad_elements(),
                 .applied = report.applied});
}

// A run whose every tenth step is bad must not spend its time on this.
void Recorder::DumpFlight(const std::string& reason) {
  constexpr int kMostDumps = 16;
  if (flight_dumps_++ >= kMostDumps) return;
  if (!flight_->Dump(flight_path_.c_str(), reason.c_str())) {
    LogWarning("cannot write ", flight_path_);
  }
}

void Recorder::RecordError(const Status& status, std::int64_t step) {
  // The error counts, whether or not it can be written down.
  events_.Write(ErrorEvent(status, step)).IgnoreError();
  flight_dumps_ = 0;
  DumpFlight(Message(status));
}

Status Recorder::Finish() {
  GYRE_RETURN_IF_ERROR(rank_log_->Close());
  if (board_.has_value()) GYRE_RETURN_IF_ERROR(board_->Close());
  return metrics_.has_value() ? metrics_->Close() : OkStatus();
}

}  // namespace gyre::internal::inline train
