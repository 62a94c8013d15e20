#include "train/loop.h"

#include <memory>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/early_end.h"
#include "core/hash.h"
#include "core/log.h"
#include "core/stop_signals.h"
#include "train/checkpoint.h"
#include "train/recorder.h"
#include "train/replay.h"

namespace gyre {
namespace {

Status Checkpoint(const TrainStep& step,
                  const RunDirectory& run,
                  Recorder& recorder) {
  if (step.mesh().rank() != 0) return OkStatus();
  GYRE_ASSIGN_OR_RETURN(const CheckpointInfo info, SaveCheckpoint(step, run));
  return recorder.Write(
      {.step = step.next_step(),
       .kind = std::string(event_kind::kCheckpoint),
       .fields = Json::Object(
           {{"path", StepName(step.next_step())}, {"good", info.good}})});
}

Status Desync(std::int64_t step) {
  return MismatchError("the ranks' parameters differ before step ",
                       step,
                       "; see events.jsonl; resume from checkpoints/last-good");
}

Status Stop(const TrainStep& step,
            int signal,
            const RunDirectory& run,
            Recorder& recorder) {
  GYRE_RETURN_IF_ERROR(Checkpoint(step, run, recorder));
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

StatusOr<StepReport> OneStep(TrainStep& step,
                             BatchSource& source,
                             Recorder& recorder,
                             Capture& capture) {
  GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(step.next_step()));
  GYRE_ASSIGN_OR_RETURN(StepReport report, step.Run(batch));
  GYRE_RETURN_IF_ERROR(recorder.Look(step, report, batch, source));
  GYRE_RETURN_IF_ERROR(recorder.Record(step, report, source));
  GYRE_RETURN_IF_ERROR(recorder.RecordCause(step, report, batch, source));
  GYRE_RETURN_IF_ERROR(capture.Keep(step, report, batch, source, recorder));
  GYRE_RETURN_IF_ERROR(report.outcome);
  if (!report.hashes_equal) return Desync(report.step);
  return report;
}

Status RunSteps(TrainStep& step,
                BatchSource& source,
                const RunDirectory& run,
                const LoopOptions& options,
                Recorder& recorder,
                RunSummary& summary) {
  const std::int64_t first = step.next_step();
  std::optional<StopSignals> signals;
  if (options.stop_on_signals) signals.emplace();
  Stragglers stragglers(step.mesh().size());
  Capture capture(run, options.capture);
  Stopwatch watch;
  while (step.next_step() < options.steps) {
    if (signals.has_value()) step.RequestStop(signals->requested());
    const auto report = OneStep(step, source, recorder, capture);
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
      return Stop(step, report->stop_signal, run, recorder);
    }
    const bool due = options.checkpoint_every > 0 &&
                     step.next_step() % options.checkpoint_every == 0;
    if (due && step.next_step() < options.steps) {
      GYRE_RETURN_IF_ERROR(Checkpoint(step, run, recorder));
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
  const Stopwatch watch;
  GYRE_ASSIGN_OR_RETURN(
      const std::unique_ptr<Recorder> recorder,
      Recorder::Open(run, step.mesh().rank(), step.next_step(), options.steps));
  recorder->set_telemetry(options.telemetry_every);
  const std::string warning = step.optimizer().guard().StartWarning();
  if (!warning.empty() && step.mesh().rank() == 0) LogWarning(warning);
  if (step.next_step() > 0 && step.mesh().rank() == 0) {
    GYRE_RETURN_IF_ERROR(recorder->Write(
        {.step = step.next_step(), .kind = std::string(event_kind::kResume)}));
  }
  RunSummary summary;
  summary.counters = step.guard_state();
  if (step.injects()) summary.stress.emplace();
  step.set_flight(recorder->flight());
  const Status status =
      RunSteps(step, source, run, options, *recorder, summary);
  step.set_flight(nullptr);
  if (!status.ok()) recorder->RecordError(status, step.next_step());
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
  // After the last step, which no later step would compare.
  GYRE_ASSIGN_OR_RETURN(const StateHash hash, step.GatherStateHash());
  summary.hashes_equal = hash.equal;
  if (!summary.hashes_equal) return Desync(step.next_step());
  GYRE_RETURN_IF_ERROR(Checkpoint(step, run, *recorder));
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
