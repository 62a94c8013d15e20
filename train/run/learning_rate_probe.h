// A range test of the learning rate: a short run whose rate grows from step to
// step, and what its loss makes of it.
//
//   LoopOptions options = {.steps = 200};
//   options.hooks = {LearningRateProbe{.from = 1e-5, .to = 10}};
//   GYRE_RETURN_IF_ERROR(RunTraining(*step, source, run, options).status());
//
// The run ends by itself. Its folder has learning_rate.html, a plot of the loss
// over the rate, and learning_rate.json: the points; the rate where the loss
// falls fastest, which is the one to try; the rate at which it grew to four
// times its least. (Smith, "Cyclical learning rates for training neural
// networks", WACV 2017.)
//
// WARNING 1: a run of its own: what it has trained is of no use.
// WARNING 2: one loss is one batch: with small batches take more steps.

#ifndef GYRE_TRAIN_RUN_LEARNING_RATE_PROBE_H_
#define GYRE_TRAIN_RUN_LEARNING_RATE_PROBE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/train/run/run_hook.h"

namespace gyre {

struct LearningRateProbe {
  double from = 1e-6;
  double to = 1;
  std::int64_t steps = 150;

  std::shared_ptr<RunHook> MakeHook() const;
};

}  // namespace gyre

namespace gyre::internal::inline train {

// What a range test has found.
struct RateRange {
  struct Point {
    double rate = 0;
    double loss = 0;
    double smooth = 0;  // a running mean of the losses so far
  };
  std::vector<Point> points;
  std::optional<double>
      diverged;  // where the smooth loss is four times its least

  // Adds a step. True: the loss has grown so far that there is no more to see.
  bool Add(double rate, double loss);
  // Where the smooth loss falls fastest.
  std::optional<double> Best() const;
  Json ToJson() const;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_RUN_LEARNING_RATE_PROBE_H_
