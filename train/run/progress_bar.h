// How far a run is, for the person who waits: one line on a terminal, which is
// renewed, or a plain line every few seconds in a log.
//
//   step 412/1500  loss 0.3012  norm 1.24  skipped 3  eval_loss 0.2934
//   310 steps/s  4 s left
//
// Every run has one behind its hooks; a program that gives its own chooses
// what it shows.
//
//   LoopOptions options;
//   options.hooks = {ProgressBar{.metrics = {"eval_loss", "coverage"}}};

#ifndef GYRE_TRAIN_RUN_PROGRESS_BAR_H_
#define GYRE_TRAIN_RUN_PROGRESS_BAR_H_

#include <memory>
#include <string>
#include <vector>

#include "gyre/train/run/run_hook.h"

namespace gyre {

struct ProgressBar {
  // The last values of these, once they are set in front of this hook.
  std::vector<std::string> metrics = {"eval_loss"};
  double terminal_period_s = 0.1;
  double log_period_s = 5;  // also, the first step and the last
  bool shown = true;        // false: no line at all

  std::shared_ptr<RunHook> MakeHook() const;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_RUN_PROGRESS_BAR_H_
