// Keeps the checkpoint of the best metric: checkpoints/best points to it, and
// it is not rotated away.
//
//   LoopOptions options;
//   options.hooks = {BestCheckpoint{.metric = "eval_loss"}};
//
// It looks where the metric is set, by a hook in front of this one, and
// remembers the best value over a resume.

#ifndef GYRE_TRAIN_RUN_BEST_CHECKPOINT_H_
#define GYRE_TRAIN_RUN_BEST_CHECKPOINT_H_

#include <memory>
#include <string>

#include "gyre/train/run/run_hook.h"

namespace gyre {

struct BestCheckpoint {
  std::string metric = "eval_loss";
  bool higher_is_better = false;
  std::string link = "best";

  std::shared_ptr<RunHook> MakeHook() const;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_RUN_BEST_CHECKPOINT_H_
