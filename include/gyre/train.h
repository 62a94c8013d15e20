// Training: all of it as one call, or the step, the loop around it and
// checkpoints one by one.
//
//   Status TrainIt(World& world) {
//     return Train(world, {.data = FunctionDataset({.samples = 64}, Points),
//                          .model = SmallModel,
//                          .loss = LogLoss,
//                          .optimizer = optim::Chain(optim::Guard{},
//                                                    optim::Adam(1e-2)),
//                          .run = {.directory = "runs/first", .steps = 300}});
//   }
//
//   GYRE_ASSIGN_OR_RETURN(auto run, StartRun(mesh, "runs/first"));
//   return RunTraining(*step, source, run, {.steps = 300}).status();
//
// WARNING 1: what these functions do is collective: all ranks call them alike.

#ifndef GYRE_TRAIN_H_
#define GYRE_TRAIN_H_

#include "gyre/runtime/train.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/checkpoint/resume.h"
#include "gyre/train/checkpoint/weights.h"
#include "gyre/train/run/best_checkpoint.h"
#include "gyre/train/run/callback.h"
#include "gyre/train/run/early_stopping.h"
#include "gyre/train/run/evaluate.h"
#include "gyre/train/run/learning_rate_probe.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/progress_bar.h"
#include "gyre/train/run/run_hook.h"
#include "gyre/train/run/start_run.h"
#include "gyre/train/step/train_step.h"

#endif  // GYRE_TRAIN_H_
