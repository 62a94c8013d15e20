#include "gyre/train/run/loop.h"

#include <memory>
#include <utility>
#include <vector>

#include "gyre/core/clock.h"
#include "gyre/core/early_end.h"
#include "gyre/core/hash.h"
#include "gyre/core/log.h"
#include "gyre/core/stop_signals.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/monitor/abandoned_steps.h"
#include "gyre/train/checkpoint/resume.h"
#include "gyre/train/data/load_batch.h"
#include "gyre/train/replay/replay.h"
#include "gyre/train/replay/rewind.h"
#include "gyre/train/run/checkpoint_keeper.h"
#include "gyre/train/run/run_session.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"

namespace gyre {

using namespace internal;

namespace {

Status Stop(const TrainStep& step,
            int signal,
            const RunDirectory& run,
            CheckpointKeeper& checkpoints) {
  GYRE_RETURN_IF_ERROR(checkpoints.Take());
  // On all ranks: one that left while rank 0 still writes would look like one
  // that failed, to some launchers.
  GYRE_RETURN_IF_ERROR(checkpoints.Finish());
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
std::optional<std::uint64_t> CursorOf(const TrainStep& step,
                                      const BatchSource& source) {
  const RankChecks& checks = step.program().traits().checks;
  if (!checks.StatesDue(step.next_step())) return std::nullopt;
  const auto ids = source.SampleIds(step.next_step(), 0);
  return Hash64(ids.data(), ids.size() * sizeof(ids[0]));
}

// What the run itself makes of a step; the order is that of the records.
Status AfterStep(TrainStep& step,
                 const StepReport& report,
                 const SampleBatch& batch,
                 BatchSource& source,
                 RunSession& session) {
  Recorder& recorder = *session.recorder;
  std::optional<RewindCheck>& rewind = session.rewind;
  GYRE_RETURN_IF_ERROR(recorder.Look(step, report, batch, source));
  GYRE_RETURN_IF_ERROR(recorder.Record(step, report, source));
  GYRE_RETURN_IF_ERROR(recorder.RecordCause(step, report, batch, source));
  GYRE_RETURN_IF_ERROR(
      session.capture.Keep(step, report, batch, source, recorder));
  GYRE_RETURN_IF_ERROR(report.outcome);
  if (rewind.has_value()) {
    GYRE_RETURN_IF_ERROR(rewind->CheckStep(report, recorder));
  }
  if (report.desync.has_value()) return DesyncError(*report.desync);
  return OkStatus();
}

struct StepTaken {
  StepReport report;
  HookWishes wishes;
};

// One step, then the run's own work, then the user's hooks; `failed` is what
// only this rank knows, from between steps. Whatever became of the step, its
// line is written.
StatusOr<StepTaken> OneStep(TrainStep& step,
                            BatchSource& source,
                            RunSession& session,
                            HookContext& context,
                            int stop_signal,
                            Status& failed) {
  context.Clear();
  GYRE_ASSIGN_OR_RETURN(
      const SampleBatch batch,
      LoadBatch(source, step.next_step(), step.mesh().rank()));
  if (session.rewind.has_value()) {
    GYRE_RETURN_IF_ERROR(session.rewind->CheckSamples(batch));
  }
  if (failed.ok()) failed = session.hooks.BeforeStep(context, batch);
  GYRE_ASSIGN_OR_RETURN(StepReport report,
                        step.Run(batch,
                                 {.stop = stop_signal,
                                  .end = !failed.ok(),
                                  .cursor = CursorOf(step, source),
                                  .flight = session.recorder->flight()}));
  context.metrics().Begin(report);
  GYRE_RETURN_IF_ERROR(context.metrics().status());
  Status status = AfterStep(step, report, batch, source, session);
  StatusOr<HookWishes> wishes = HookWishes();
  if (status.ok() && !report.end_asked) {
    wishes = session.hooks.AfterStep(context, {report.step, report, batch});
    status = wishes.status();
  }
  GYRE_RETURN_IF_ERROR(
      session.progress->AfterStep(context, {report.step, report, batch}));
  const Status written =
      session.recorder->WriteLines(step, report, context.metrics());
  GYRE_RETURN_IF_ERROR(status);
  GYRE_RETURN_IF_ERROR(written);
  return StepTaken{std::move(report), *std::move(wishes)};
}

// A program that never goes on from anything is rewound, too.
Status LoadWhatRewindAsks(TrainStep& step) {
  GYRE_ASSIGN_OR_RETURN(const std::optional<RewindRequest> rewind,
                        RewindRequest::Of(step.mesh().run_context()));
  if (!rewind.has_value() || !step.state().resumed().is_null())
    return OkStatus();
  if (step.run_session() != nullptr) return OkStatus();  // it has begun
  GYRE_ASSIGN_OR_RETURN(const std::string from,
                        ResumePoint(step.mesh(), rewind->out, ""));
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

// How fast the run is, and who holds it up.
void SumUp(RunSession& session) {
  session.summary.straggler = session.stragglers.Worst();
  if (session.timed_steps > 0) {
    session.summary.steps_per_s = session.timed_steps / session.timed_s;
  }
}

// An error of one rank between steps becomes that of all.
Status EndTogether(const Status& mine, const TrainStep& step) {
  const Status status =
      OutcomeOfAll(mine, step.mesh().world(), "end by an error");
  return status.ok() ? InternalError("a rank asked for an end without an error")
                     : status;
}

Status RunSteps(TrainStep& step,
                BatchSource& source,
                const RunDirectory& run,
                const LoopOptions& options,
                RunSession& session,
                HookContext& context,
                CheckpointKeeper& checkpoints) {
  std::optional<StopSignals> signals;
  if (options.stop_on_signals) signals.emplace();
  RunSummary& summary = session.summary;
  summary.stopped.reset();
  Status failed;  // what only this rank knows
  Stopwatch watch;
  while (step.next_step() < options.steps) {
    if (failed.ok()) failed = checkpoints.Poll();
    const int stop_signal = signals.has_value() ? signals->requested() : 0;
    const auto outcome =
        OneStep(step, source, session, context, stop_signal, failed);
    summary.counters = step.state().guard();
    summary.first_skip = session.recorder->first_skip();
    if (!outcome.ok()) {
      if (!failed.ok()) session.recorder->RecordError(failed, step.next_step());
      return outcome.status();
    }
    const StepReport* const report = &outcome->report;
    const HookWishes& wishes = outcome->wishes;
    if (report->end_asked) return EndTogether(failed, step);
    if (summary.stress.has_value()) Observe(step, *report, *summary.stress);
    summary.last_loss = report->loss;
    if (report->last_arrival.has_value()) {
      session.stragglers.Add(*report->last_arrival, NowNanos());
    }
    if (summary.first_step_s == 0) {
      summary.first_step_s = watch.Seconds();
      watch.Restart();
    } else {
      ++session.timed_steps;
    }
    if (report->stop_signal != 0 && step.next_step() < options.steps) {
      return Stop(step, report->stop_signal, run, checkpoints);
    }
    checkpoints.AddLinks(wishes.links);
    if (wishes.stop.has_value()) {
      summary.stopped = wishes.stop;
      GYRE_RETURN_IF_ERROR(
          session.recorder->RecordStop(report->step, *wishes.stop));
      break;
    }
    const bool due =
        wishes.checkpoint || (options.checkpoint_every > 0 &&
                              step.next_step() % options.checkpoint_every == 0);
    if (due && step.next_step() < options.steps) {
      GYRE_RETURN_IF_ERROR(checkpoints.Take());
    }
  }
  session.timed_s += watch.Seconds();
  SumUp(session);
  return OkStatus();
}

// All that may fail on one rank before the first step.
Status Begin(TrainStep& step,
             const BatchSource& source,
             const RunDirectory& run,
             const LoopOptions& options) {
  if (options.keep_checkpoints < 0) {
    return ConfigError("keep_checkpoints must be 0 (all) or more, got ",
                       options.keep_checkpoints);
  }
  if (!GoesOn(step, run)) {
    GYRE_RETURN_IF_ERROR(LoadWhatRewindAsks(step));
    GYRE_RETURN_IF_ERROR(
        DoneByRankZero([&] { return SetAsideSteps(run, step.next_step()); },
                       step.mesh().world(),
                       "abandoned steps set aside"));
  }
  return OutcomeOfAll(BeginSession(step, source, run, options),
                      step.mesh().world(),
                      "start of the steps");
}

// After the steps: closes the records, and leaves nothing unsaid.
Status EndRecords(const Status& status,
                  const TrainStep& step,
                  const RunSession& session,
                  CheckpointKeeper& checkpoints) {
  Recorder& recorder = *session.recorder;
  if (!status.ok()) {
    recorder.RecordError(status, step.next_step());
    checkpoints.FinishAfter(status);
  }
  const Status written = recorder.Finish();
  if (status.ok() && !written.ok()) {
    recorder.RecordError(written, step.next_step());
  }
  if (session.summary.stress.has_value() && step.mesh().rank() == 0) {
    std::string table = session.summary.stress->Table();
    table.pop_back();  // the log ends the line
    LogInfo(table);
  }
  GYRE_RETURN_IF_ERROR(status);
  return OutcomeOfAll(written, step.mesh().world(), "records written");
}

// What is known when all is done, on the disk before any rank returns.
Status Conclude(TrainStep& step,
                const RunDirectory& run,
                RunSession& session,
                double seconds) {
  RunSummary& summary = session.summary;
  GYRE_ASSIGN_OR_RETURN(const StateHash hash, GatherStateHash(step.state()));
  summary.params_hash = hash.hash;
  summary.params_finite = step.state().ParamsFinite();
  if (summary.straggler.has_value() && step.mesh().rank() == 0 &&
      session.told_straggler != summary.straggler->rank) {
    session.told_straggler = summary.straggler->rank;
    LogInfo(Describe(*summary.straggler));
  }
  summary.wall_s += seconds;
  return DoneByRankZero([&] { return WriteSummary(step, run); },
                        step.mesh().world(),
                        "summary written");
}

// The run so far, but for its beginning.
Status TrainOn(TrainStep& step,
               BatchSource& source,
               const RunDirectory& run,
               const LoopOptions& options,
               RunSession& session,
               const Stopwatch& watch) {
  HookContext context(step, run, options.steps);
  CheckpointKeeper checkpoints(step,
                               source,
                               run,
                               *session.recorder,
                               session.Carried(options),
                               session.hooks,
                               context,
                               options.keep_checkpoints);
  Status status = session.progress->OnStart(context);
  if (status.ok() && !session.hooks.empty()) {
    status = OutcomeOfAll(session.hooks.OnStart(context),
                          step.mesh().world(),
                          "start of the hooks");
  }
  if (status.ok()) {
    status =
        RunSteps(step, source, run, options, session, context, checkpoints);
  }
  session.hooks.OnEnd(context, status);
  session.progress->OnEnd(context, status);
  GYRE_RETURN_IF_ERROR(EndRecords(status, step, session, checkpoints));
  GYRE_RETURN_IF_ERROR(LastCheckpoint(step, *session.recorder, checkpoints));
  GYRE_RETURN_IF_ERROR(Conclude(step, run, session, watch.Seconds()));
  session.next_step = step.next_step();
  return OkStatus();
}

}  // namespace

StatusOr<RunSummary> RunTraining(TrainStep& step,
                                 BatchSource& source,
                                 const RunDirectory& run,
                                 const LoopOptions& options) {
  GYRE_ASSIGN_OR_RETURN(const auto replay,
                        ReplayRequest::Of(step.mesh().run_context()));
  if (replay.has_value()) {
    GYRE_RETURN_IF_ERROR(ReplayStep(step, source, *replay));
    return EarlyEnd("the step was replayed");
  }
  const Stopwatch watch;
  Status status = Begin(step, source, run, options);
  const std::shared_ptr<RunSession> session = step.run_session();
  if (status.ok()) {
    status = TrainOn(step, source, run, options, *session, watch);
  }
  if (status.ok()) return session->summary;
  step.run_session().reset();  // what comes then is another run
  return status;
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
  const optim::Guard& guard = step.state().optimizer().guard();
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
  if (stopped.has_value()) json.Set("stopped", *stopped);
  return json;
}

}  // namespace gyre
