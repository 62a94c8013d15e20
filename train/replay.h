// Runs a kept step (train/evidence.h) again, in the program that made it.
//
// `gyre replay` starts the program with its own arguments and says in the
// environment what to do; no program needs code for it:
//
//   GYRE_REPLAY       the evidence: RUN/evidence/step-00000412
//   GYRE_REPLAY_OUT   a folder for result.json, and for all that the program
//                     would write into its run directory
//   GYRE_REPLAY_WITH  what to change: "precision=f64", "kernels=reference",
//                     "jit=off"; several with "," between
//
// Then TrainStep::Compile takes the kept batch as its example, StartRun keeps
// away from the original run, LoadCheckpoint does nothing, and RunTraining
// runs that one step and ends the program (core/early_end.h).

#ifndef GYRE_TRAIN_REPLAY_H_
#define GYRE_TRAIN_REPLAY_H_

#include <optional>
#include <string>
#include <string_view>

#include "gyre/core/status.h"
#include "gyre/mesh/run_context.h"
#include "gyre/train/batch.h"
#include "gyre/train/evidence.h"
#include "gyre/train/train_step.h"

namespace gyre::internal::inline train {

// What a replay does otherwise than the original.
struct ReplayChanges {
  std::optional<DType> precision = {};
  std::optional<KernelSet> kernels = {};
  std::optional<bool> jit = {};

  // Error: a word that it does not know, with those that it does.
  static StatusOr<ReplayChanges> Parse(std::string_view text);
};

struct ReplayRequest {
  std::string evidence = {};
  std::string out = {};
  ReplayChanges changes = {};

  std::string result() const { return out + "/result.json"; }

  // Nothing: the program is to train, as usual.
  static StatusOr<std::optional<ReplayRequest>> Of(const RunContext& context);
};

// The program to compile for the replay: the same, on the kept batch.
StatusOr<TrainSpec> ForReplay(TrainSpec spec, const ReplayRequest& request);

// Puts the kept state in place, runs the step on the kept batch, and (on rank
// 0) writes {"step", "fingerprint", "world", "result" (train/step_result.h),
// "cause" (train/cause_record.h)}. Collective.
Status ReplayStep(TrainStep& step,
                  const BatchSource& source,
                  const ReplayRequest& request);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_REPLAY_H_
