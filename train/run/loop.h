// The loop around a training step: batches in, records and a checkpoint out.
//
//   GYRE_ASSIGN_OR_RETURN(const RunSummary summary,
//                         RunTraining(*step, source, run, {.steps = 1500}));

#ifndef GYRE_TRAIN_RUN_LOOP_H_
#define GYRE_TRAIN_RUN_LOOP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/mesh/stragglers.h"
#include "gyre/monitor/run_directory.h"
#include "gyre/train/checkpoint/carried_state.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/replay/capture.h"
#include "gyre/train/run/run_hook.h"
#include "gyre/train/run/stress.h"
#include "gyre/train/step/train_step.h"

namespace gyre {

struct LoopOptions {
  std::int64_t steps = 0;             // the run ends before this step
  std::int64_t checkpoint_every = 0;  // 0: at the end alone
  // The newest so many are kept, and what checkpoints/last-good and first-bad
  // point to; 0: all.
  std::int64_t keep_checkpoints = 5;
  std::vector<CarriedState> carried = {};  // what else a checkpoint keeps
  // SIGTERM or SIGUSR1 to any rank ends the run after the step in progress,
  // on all ranks alike, with a checkpoint (core/stop_signals.h).
  bool stop_on_signals = true;
  // Norms by layer and more are recorded every so many steps
  // (train/records/telemetry.h); 0: never, Telemetry::kAuto: as often as is
  // cheap.
  int telemetry_every = -1;
  CaptureLimits capture = {};  // of bad steps that are kept for gyre replay
  // What the program does after each step (train/run/run_hook.h). Those of the
  // first of several calls stay for the whole run.
  std::vector<Hook> hooks = {};
};

// Of a run so far, over all calls of RunTraining.
struct RunSummary {
  optim::GuardState counters;
  std::optional<StressReport> stress;  // of a run with faults on purpose
  std::optional<Json> first_skip;      // {step, ranks, tensors, samples, ...}
  // Why the last call ended before its last step, as a hook has said it.
  std::optional<std::string> stopped;
  bool hashes_equal = true;  // parameters, on all ranks, all along
  std::uint64_t params_hash = 0;
  bool params_finite = true;
  double wall_s = 0;
  double first_step_s = 0;
  double steps_per_s = 0;  // without the first
  double last_loss = 0;
  std::optional<Straggler> straggler;  // a rank that held up the others

  // These and the step's guard, as members of summary.json.
  Json ToJson(const TrainStep& step) const;
};

// Runs the steps from step.next_step() on. All ranks call it, and return when
// the checkpoint of the end and summary.json are in place: RunSummary::ToJson,
// to which a program adds with RunDirectory::AddToSummary. Under
// `gyre replay` (train/replay/replay.h) it runs the kept step alone and returns
// EarlyEnd. A run that must
// end (the guard's budget is spent, the ranks' parameters differ) returns the
// error, after its event is written; one that was asked to stop returns
// StoppedBySignal, after its checkpoint is.
//
// May be called again with more steps, to look at something in between: it is
// the same run, with the same records as if it were one call, and the summary
// is of all of it. While a call runs there is no summary.json. What
// LoadCheckpoint has put into the step is gone on from once, by the next call.
StatusOr<RunSummary> RunTraining(TrainStep& step,
                                 BatchSource& source,
                                 const RunDirectory& run,
                                 const LoopOptions& options);

}  // namespace gyre

#endif  // GYRE_TRAIN_RUN_LOOP_H_
