// Ends a run whose metric has not become better for a while.
//
//   LoopOptions options;
//   options.hooks = {EarlyStopping{.metric = "eval_loss", .patience = 5}};
//
// It looks where the metric is set: every 50 steps, if Evaluate sets it so, in
// front of this hook. A NaN is not better. What it has seen goes on over a
// resume. The run ends well, with a checkpoint and an event "stop".

#ifndef GYRE_TRAIN_RUN_EARLY_STOPPING_H_
#define GYRE_TRAIN_RUN_EARLY_STOPPING_H_

#include <cstdint>
#include <memory>
#include <string>

#include "gyre/train/run/run_hook.h"

namespace gyre {

struct EarlyStopping {
  std::string metric = "eval_loss";
  std::int64_t patience = 5;  // values in a row that are no better
  double by = 0;              // and better means by more than this
  bool higher_is_better = false;

  std::shared_ptr<RunHook> MakeHook() const;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_RUN_EARLY_STOPPING_H_
