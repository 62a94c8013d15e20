// Validation during a run: the loss over another data set, every so many
// steps, and numbers of one's own.
//
//   const SampleSet validation = {.samples = 100, .batch = 16, .load = Points};
//   LoopOptions options;
//   options.hooks = {Evaluate{.every = 50,
//                             .data = validation,
//                             .metrics = {{"bias", Bias}}}};
//
// "eval_loss" is the mean over all samples, each counted once, whatever the
// number of ranks: in metrics.jsonl, TensorBoard, the report and the progress
// line, at the step that was done last. It is that of the evaluation program
// (train/step/evaluation.h): nothing is dropped, and running statistics are
// used.
//
// What report() names is averaged likewise, as "eval_" and its name. A loss
// that is one masked mean is that over all that counts in the set, whatever
// counts in each batch.
//
// WARNING 1: the last batch of a set that the batch size does not divide is
// filled up with its last sample, whose share is taken out again. That is
// right for losses that are means over samples or one masked mean, and those
// alone.

#ifndef GYRE_TRAIN_RUN_EVALUATE_H_
#define GYRE_TRAIN_RUN_EVALUATE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gyre/core/tensor.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/data/function_source.h"
#include "gyre/train/run/run_hook.h"

namespace gyre {

// Samples 0 .. samples - 1, each once and in order.
struct SampleSet {
  std::int64_t samples = 0;
  std::int64_t batch = 0;  // over all ranks, as the step was compiled for
  LoadFunction load;
};

// A mean over the samples that it is given: of what the model predicts for a
// rank's part of a batch, without what was filled up.
using EvalMetric =
    std::function<double(const Tensor& prediction, const SampleBatch& batch)>;

struct Evaluate {
  std::int64_t every = 0;  // steps, and after the last one
  SampleSet data;
  std::map<std::string, EvalMetric> metrics = {};
  // With the running mean of the parameters that optim::TrackEma keeps.
  bool use_ema = false;
  std::string loss = "eval_loss";  // what it is called

  std::shared_ptr<RunHook> MakeHook() const;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_RUN_EVALUATE_H_
