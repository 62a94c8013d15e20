// What RunTraining (train/run/loop.h) keeps from one call to the next, so that
// a run in twenty calls leaves the records of one: open ends of files,
// detectors, counts and limits. The TrainStep holds it.

#ifndef GYRE_TRAIN_RUN_RUN_SESSION_H_
#define GYRE_TRAIN_RUN_RUN_SESSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/mesh/stragglers.h"
#include "gyre/monitor/run_directory.h"
#include "gyre/train/records/recorder.h"
#include "gyre/train/replay/capture.h"
#include "gyre/train/replay/rewind.h"
#include "gyre/train/run/hook_list.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/progress_bar.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {

struct RunSession {
  RunSession(const RunDirectory& run,
             const LoopOptions& options,
             std::unique_ptr<Recorder> opened,
             int ranks)
      : path(run.path()),
        recorder(std::move(opened)),
        capture(run, options.capture),
        stragglers(ranks),
        hooks(options.hooks),
        progress(ProgressBar{.shown = !hooks.Has("ProgressBar")}.MakeHook()) {}

  // What checkpoints keep beside the step's state: of the program, of the run's
  // own detectors, of the hooks.
  std::vector<CarriedState> Carried(const LoopOptions& options);

  const std::string path;
  const std::unique_ptr<Recorder> recorder;
  Capture capture;
  Stragglers stragglers;
  HookList hooks;                           // the user's
  const std::shared_ptr<RunHook> progress;  // silent where they have one
  int told_straggler = -1;                  // the rank that was named last
  std::optional<RewindCheck> rewind;
  RunSummary summary;
  Json added = Json::Object();  // what the program put into summary.json
  std::int64_t next_step = 0;   // with which the last call ended
  // Of the steps but the first, for RunSummary::steps_per_s.
  std::int64_t timed_steps = 0;
  double timed_s = 0;
};

// Whether a call that finds the step so goes on with the run of the call
// before: in the same directory, and with nothing loaded in between.
bool GoesOn(TrainStep& step, const RunDirectory& run);

// Begins a run, or goes on with it. Of this rank alone: what fails here must
// be told to the others.
Status BeginSession(TrainStep& step,
                    const BatchSource& source,
                    const RunDirectory& run,
                    const LoopOptions& options);

// Writes summary.json. Rank 0 does this.
Status WriteSummary(TrainStep& step, const RunDirectory& run);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_RUN_RUN_SESSION_H_
