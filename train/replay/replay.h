// Runs a kept step (train/replay/evidence.h) again, in the program that made
// it.
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

#ifndef GYRE_TRAIN_REPLAY_REPLAY_H_
#define GYRE_TRAIN_REPLAY_REPLAY_H_

#include "gyre/core/status.h"
#include "gyre/train/context/replay_request.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {

// The program to compile for the replay: the same, on the kept batch.
StatusOr<TrainSpec> ForReplay(TrainSpec spec, const ReplayRequest& request);

// Puts the kept state in place, runs the step on the kept batch, and (on rank
// 0) writes {"step", "fingerprint", "world", "result"
// (train/replay/step_result.h), "cause" (train/records/cause_record.h)}.
// Collective.
Status ReplayStep(TrainStep& step,
                  const BatchSource& source,
                  const ReplayRequest& request);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_REPLAY_REPLAY_H_
