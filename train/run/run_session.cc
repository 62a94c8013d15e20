#include "gyre/train/run/run_session.h"

#include <utility>
#include <vector>

#include "gyre/core/log.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {
namespace {

// Hands back what others carry, and tells that the run goes on from a
// checkpoint.
Status BeginAgain(const TrainStep& step,
                  const BatchSource& source,
                  const std::vector<CarriedState>& states,
                  Recorder& recorder) {
  const Json& resumed = step.state().resumed();
  if (resumed.is_null()) return OkStatus();
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
                        RewindRequest::Of(step.mesh().run_context()));
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

// Of an earlier run, whose end would be taken for this one's; or of the call
// before, with what the program has added since.
Status TakeSummaryAway(const RunDirectory& run, RunSession* goes_on) {
  if (goes_on != nullptr) {
    GYRE_ASSIGN_OR_RETURN(goes_on->added, run.ReadSummary());
  }
  return run.RemoveSummary();
}

// What was loaded, and what gyre rewind asks for.
Status TakeUp(const TrainStep& step,
              const BatchSource& source,
              const LoopOptions& options,
              RunSession& session) {
  GYRE_RETURN_IF_ERROR(
      BeginAgain(step, source, session.Carried(options), *session.recorder));
  GYRE_ASSIGN_OR_RETURN(session.rewind,
                        RewindCheck::Begin(step, source, *session.recorder));
  return OkStatus();
}

Status BeginNew(TrainStep& step,
                const BatchSource& source,
                const RunDirectory& run,
                const LoopOptions& options) {
  const Mesh& mesh = step.mesh();
  GYRE_ASSIGN_OR_RETURN(std::unique_ptr<Recorder> recorder,
                        Recorder::Open(run, mesh.rank(), step.next_step()));
  const auto session = std::make_shared<RunSession>(
      run, options, std::move(recorder), mesh.size());
  const std::string warning = step.state().optimizer().guard().StartWarning();
  if (!warning.empty() && mesh.rank() == 0) LogWarning(warning);
  const Status begun = TakeUp(step, source, options, *session);
  if (!begun.ok()) session->recorder->RecordError(begun, step.next_step());
  GYRE_RETURN_IF_ERROR(begun);
  step.state().SetResumed(Json());
  session->summary.counters = step.state().guard();
  if (step.program().injects()) session->summary.stress.emplace();
  step.run_session() = session;
  return OkStatus();
}

}  // namespace

std::vector<CarriedState> RunSession::Carried(const LoopOptions& options) {
  std::vector<CarriedState> carried = options.carried;
  carried.push_back(recorder->CarriedSpikes());
  carried.push_back(recorder->CarriedDivergence());
  for (CarriedState& state : hooks.Carried()) {
    carried.push_back(std::move(state));
  }
  return carried;
}

bool GoesOn(TrainStep& step, const RunDirectory& run) {
  const RunSession* const session = step.run_session().get();
  return session != nullptr && session->path == run.path() &&
         step.state().resumed().is_null() &&
         step.next_step() >= session->next_step;
}

Status BeginSession(TrainStep& step,
                    const BatchSource& source,
                    const RunDirectory& run,
                    const LoopOptions& options) {
  const bool goes_on = GoesOn(step, run);
  if (step.mesh().rank() == 0) {
    GYRE_RETURN_IF_ERROR(
        TakeSummaryAway(run, goes_on ? step.run_session().get() : nullptr));
  }
  if (goes_on) {
    GYRE_RETURN_IF_ERROR(step.run_session()->recorder->GoOn(step.next_step()));
  } else {
    step.run_session().reset();
    GYRE_RETURN_IF_ERROR(BeginNew(step, source, run, options));
  }
  step.run_session()->recorder->set_telemetry(options.telemetry_every);
  return OkStatus();
}

Status WriteSummary(TrainStep& step, const RunDirectory& run) {
  const RunSession& session = *step.run_session();
  Json all = session.added;
  const Json own = session.summary.ToJson(step);
  for (const auto& [key, value] : own.members()) all.Set(key, value);
  return run.WriteSummary(all);
}

}  // namespace gyre::internal::inline train
