#include "gyre/train/loop.h"

#include <memory>
#include <utility>
#include <vector>

#include "gyre/core/clock.h"
#include "gyre/core/early_end.h"
#include "gyre/core/hash.h"
#include "gyre/core/log.h"
#include "gyre/core/stop_signals.h"
#include "gyre/train/checkpoint_keeper.h"
#include "gyre/train/recorder.h"
#include "gyre/train/replay.h"
#include "gyre/train/resume.h"
#include "gyre/train/rewind.h"
#include "gyre/train/step_state.h"

namespace gyre {
namespace {

Status Stop(const TrainStep& step,
            int signal,
            const RunDirectory& run,
            CheckpointKeeper& checkpoints) {
  GYRE_RETURN_IF_ERROR(checkpoints.Take());
  GYRE_RETURN_IF_ERROR(checkpoints.Finish());
  // A rank that left while rank 0 still writes would look like one that
  // failed, to some launchers.
  GYRE_RETURN_IF_ERROR(step.mesh().world().Barrier(
      {.label = "end of a stopped run", .loc = SourceLoc::Current()}));
  return StoppedBySignal(signal,
                         Cat("stopped by signal ",
                             signal,
                             " before step ",
                             step.next_step(),
                             "; resume from ",
                             run.checkpoint(step.next_step())));
}

// One list of samples is enough: ranks that have another order have another
// first part, too.
void SetCursor(TrainStep& step, const BatchSource& source) {
  if (!step.checks().StatesDue(step.next_step())) return;
  const auto ids = source.SampleIds(step.next_step(), 0);
  step.SetCursor(Hash64(ids.data(), ids.size() * sizeof(ids[0])));
}

StatusOr<StepReport> OneStep(TrainStep& step,
                             BatchSource& source,
                             Recorder& recorder,
                             Capture& capture,
                             std::optional<RewindCheck>& rewind) {
  GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(step.next_step()));
  if (rewind.has_value()) GYRE_RETURN_IF_ERROR(rewind->CheckSamples(batch));
  SetCursor(step, source);
  GYRE_ASSIGN_OR_RETURN(StepReport report, step.Run(batch));
  GYRE_RETURN_IF_ERROR(recorder.Look(step, report, batch, source));
  GYRE_RETURN_IF_ERROR(recorder.Record(step, report, source));
  GYRE_RETURN_IF_ERROR(recorder.RecordCause(step, report, batch, source));
  GYRE_RETURN_IF_ERROR(capture.Keep(step, report, batch, source, recorder));
  GYRE_RETURN_IF_ERROR(report.outcome);
  if (rewind.has_value()) {
    GYRE_RETURN_IF_ERROR(rewind->CheckStep(report, recorder));
  }
  if (report.desync.has_value()) return DesyncError(*report.desync);
  return report;
}

// What is told and handed back at the start of a run that goes on from a
// checkpoint.
Status BeginAgain(const TrainStep& step,
                  const BatchSource& source,
                  const std::vector<CarriedState>& states,
                  Recorder& recorder) {
  if (step.next_step() == 0) return OkStatus();
  const Json& resumed = step.resumed();
  if (const Json* carried = resumed.Find("carried")) {
    for (const CarriedState& state : states) {
      const Json* const saved = carried->Find(state.name);
      if (saved != nullptr) GYRE_RETURN_IF_ERROR(state.load(*saved));
    }
  }
  if (step.mesh().rank() != 0) return OkStatus();
  Json fields = Json::Object();
  for (const char* key : {"from", "changed"}) {
    if (const Json* value = resumed.Find(key)) fields.Set(key, *value);
  }
  GYRE_ASSIGN_OR_RETURN(const std::optional<RewindRequest> rewind,
                        RewindRequest::FromEnvironment());
  const bool meant = rewind.has_value() && !rewind->leave_out.empty();
  if (const Json* before = resumed.Find("cursor")) {
    const bool same =
        SameSamples(*before, DataCursor(source, step.next_step()));
    fields.Set("same_samples", same);
    if (!same && !meant) {
      LogWarning("the samples of step ",
                 step.next_step(),
                 " are others than those of the run that wrote ",
                 resumed.GetString("from").value_or(""),
                 ": the data, their order or the batch has changed");
    }
  }
  return recorder.Write({.step = step.next_step(),
                         .kind = std::string(event_kind::kResume),
                         .fields = std::move(fields)});
}

// A program that never goes on from anything is rewound, too.
Status LoadWhatRewindAsks(TrainStep& step) {
  GYRE_ASSIGN_OR_RETURN(const std::optional<RewindRequest> rewind,
                        RewindRequest::FromEnvironment());
  if (!rewind.has_value() || !step.resumed().is_null()) return OkStatus();
  GYRE_ASSIGN_OR_RETURN(const std::string from, ResumePoint(rewind->out, ""));
  return from.empty() ? OkStatus() : LoadCheckpoint(from, step);
}

// After the last step, which no later one compares.
Status LastCheckpoint(const TrainStep& step,
                      Recorder& recorder,
                      CheckpointKeeper& checkpoints) {
  Status status = checkpoints.Take();
  if (status.ok()) status = checkpoints.Finish();
  if (!status.ok()) recorder.RecordError(status, step.next_step());
  return status;
}

Status RunSteps(TrainStep& step,
                BatchSource& source,
                const RunDirectory& run,
                const LoopOptions& options,
                Recorder& recorder,
                CheckpointKeeper& checkpoints,
                RunSummary& summary) {
  const std::int64_t first = step.next_step();
  std::optional<StopSignals> signals;
  if (options.stop_on_signals) signals.emplace();
  Stragglers stragglers(step.mesh().size());
  Capture capture(run, options.capture);
  GYRE_ASSIGN_OR_RETURN(std::optional<RewindCheck> rewind,
                        RewindCheck::Begin(step, source, recorder));
  Stopwatch watch;
  while (step.next_step() < options.steps) {
    GYRE_RETURN_IF_ERROR(checkpoints.Poll());
    if (signals.has_value()) step.RequestStop(signals->requested());
    const auto report = OneStep(step, source, recorder, capture, rewind);
    summary.counters = step.guard_state();
    summary.first_skip = recorder.first_skip();
    GYRE_RETURN_IF_ERROR(report.status());
    if (summary.stress.has_value()) Observe(step, *report, *summary.stress);
    summary.last_loss = report->loss;
    if (report->last_arrival.has_value()) {
      stragglers.Add(*report->last_arrival, NowNanos());
    }
    if (report->step == first) {
      summary.first_step_s = watch.Seconds();
      watch.Restart();
    }
    if (report->stop_signal != 0 && step.next_step() < options.steps) {
      return Stop(step, report->stop_signal, run, checkpoints);
    }
    const bool due = options.checkpoint_every > 0 &&
                     step.next_step() % options.checkpoint_every == 0;
    if (due && step.next_step() < options.steps) {
      GYRE_RETURN_IF_ERROR(checkpoints.Take());
    }
  }
  summary.straggler = stragglers.Worst();
  const std::int64_t rest = step.next_step() - first - 1;
  if (rest > 0) summary.steps_per_s = rest / watch.Seconds();
  return OkStatus();
}

}  // namespace

StatusOr<RunSummary> RunTraining(TrainStep& step,
                                 BatchSource& source,
                                 const RunDirectory& run,
                                 const LoopOptions& options) {
  GYRE_ASSIGN_OR_RETURN(const auto replay, ReplayRequest::FromEnvironment());
  if (replay.has_value()) {
    GYRE_RETURN_IF_ERROR(ReplayStep(step, source, *replay));
    return EarlyEnd("the step was replayed");
  }
  GYRE_RETURN_IF_ERROR(LoadWhatRewindAsks(step));
  const Stopwatch watch;
  if (options.keep_checkpoints < 0) {
    return ConfigError("keep_checkpoints must be 0 (all) or more, got ",
                       options.keep_checkpoints);
  }
  GYRE_ASSIGN_OR_RETURN(
      const std::unique_ptr<Recorder> recorder,
      Recorder::Open(run, step.mesh().rank(), step.next_step(), options.steps));
  recorder->set_telemetry(options.telemetry_every);
  const std::string warning = step.optimizer().guard().StartWarning();
  if (!warning.empty() && step.mesh().rank() == 0) LogWarning(warning);
  std::vector<CarriedState> carried = options.carried;
  carried.push_back(recorder->CarriedSpikes());
  GYRE_RETURN_IF_ERROR(BeginAgain(step, source, carried, *recorder));
  CheckpointKeeper checkpoints(
      step, source, run, *recorder, carried, options.keep_checkpoints);
  RunSummary summary;
  summary.counters = step.guard_state();
  if (step.injects()) summary.stress.emplace();
  step.set_flight(recorder->flight());
  const Status status =
      RunSteps(step, source, run, options, *recorder, checkpoints, summary);
  step.set_flight(nullptr);
  if (!status.ok()) {
    recorder->RecordError(status, step.next_step());
    checkpoints.FinishAfter(status);
  }
  const Status written = recorder->Finish();
  if (status.ok() && !written.ok()) {
    recorder->RecordError(written, step.next_step());
  }
  if (summary.stress.has_value() && step.mesh().rank() == 0) {
    std::string table = summary.stress->Table();
    table.pop_back();  // the log ends the line
    LogInfo(table);
  }
  GYRE_RETURN_IF_ERROR(status);
  GYRE_RETURN_IF_ERROR(written);
  GYRE_RETURN_IF_ERROR(LastCheckpoint(step, *recorder, checkpoints));
  GYRE_ASSIGN_OR_RETURN(const StateHash hash, step.GatherStateHash());
  summary.params_hash = hash.hash;
  summary.params_finite = step.ParamsFinite();
  if (summary.straggler.has_value() && step.mesh().rank() == 0) {
    LogInfo(Describe(*summary.straggler));
  }
  summary.wall_s = watch.Seconds();
  return summary;
}

namespace {

Json StragglerJson(const std::optional<Straggler>& straggler) {
  if (!straggler.has_value()) return Json();
  return Json::Object({{"rank", straggler->rank},
                       {"times_last", straggler->times_last},
                       {"steps", straggler->collectives},
                       {"mean_s", straggler->mean_s},
                       {"worst_s", straggler->worst_s},
                       {"share", straggler->share}});
}

}  // namespace

Json RunSummary::ToJson(const TrainStep& step) const {
  const optim::Guard& guard = step.optimizer().guard();
  Json json = Json::Object();
  json.Set("attempted", counters.attempted)
      .Set("applied", counters.applied)
      .Set("skipped", counters.skipped)
      .Set("first_skip", first_skip.value_or(Json()))
      .Set("plans", step.plans_compiled())
      .Set("hashes_equal", hashes_equal)
      .Set("param_hash", HexHash(params_hash))
      .Set("params_finite", params_finite)
      .Set("guard", optim::NameOf(guard.policy))
      .Set("unguarded", guard.unguarded())
      .Set("last_loss", last_loss)
      .Set("wall_s", wall_s)
      .Set("first_step_s", first_step_s)
      .Set("steps_per_s", steps_per_s)
      .Set("straggler", StragglerJson(straggler))
      .Set("world", step.mesh().size())
      .Set("mesh", step.mesh().Describe())
      .Set("collectives", step.mesh().world().backend());
  if (stress.has_value()) json.Set("stress", stress->ToJson());
  return json;
}

}  // namespace gyre
