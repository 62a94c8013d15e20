// Tries a loss on inputs that break losses, before any training.
//
//   const auto report = StressLoss(
//       [](Var pred, const BatchVars& b) {
//         return mean(square(log(pred) - log(b["y"])));
//       },
//       {{"pred", {8, 6}, InputRole::kPrediction},
//        {"y", {8, 6}, InputRole::kTarget},
//        {"mask", {8, 6}, InputRole::kMask}});
//   if (report.ok() && !report->empty()) std::cout << Describe(*report);
//
//   zeros: the loss is NaN, from log (my_loss.cc:12), element 0, of -Inf ...
//
// The cases: ordinary numbers, zeros, prediction and target equal, both
// negative, of opposite signs, huge, tiny, NaN targets where the mask is 0, a
// mask that is empty, and each again as a shard of one row. Forward and
// backward.
//
// What is reported is a loss or a gradient of the prediction that is not
// finite, with the operation where it became so: the one with such a result
// from finite operands, or the first to read a target that is NaN. Numbers
// that are not finite and reach neither are what masks are for.

#ifndef GYRE_TRAIN_STEP_STRESS_LOSS_H_
#define GYRE_TRAIN_STEP_STRESS_LOSS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/train/step/train_step.h"

namespace gyre {

enum class InputRole : std::uint8_t { kPrediction, kTarget, kMask, kOther };

// An f32 tensor. Exactly one is the prediction; the others are the batch.
struct LossInput {
  std::string name;
  Shape shape;
  InputRole role = InputRole::kOther;
};

struct LossFinding {
  std::string input_case;    // "zeros", "empty mask, one row"
  bool backward = false;     // the gradient, not the loss
  double value = 0;          // of the loss, or of the first bad element
  std::string operation;     // "log"
  SourceLoc loc;             // the user's line
  std::int64_t element = 0;  // of the operation's result
  std::vector<double> operands = {};  // at that element, where known
};

// Empty: every loss and every gradient was finite. Errors: no prediction, or
// two; the first error of the trace, with its line.
StatusOr<std::vector<LossFinding>> StressLoss(
    const LossFunction& loss, const std::vector<LossInput>& inputs);

// One line a finding.
std::string Describe(const std::vector<LossFinding>& findings);

}  // namespace gyre

#endif  // GYRE_TRAIN_STEP_STRESS_LOSS_H_
