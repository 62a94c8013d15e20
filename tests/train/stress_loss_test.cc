#include "gyre/train/step/stress_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/masked.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/models/losses.h"

namespace gyre::internal::inline tests {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::vector<LossInput> kInputs = {
    {"pred", {4, 3}, InputRole::kPrediction},
    {"y", {4, 3}, InputRole::kTarget},
    {"mask", {4, 3}, InputRole::kMask}};

std::vector<LossFinding> Try(const LossFunction& loss) {
  auto findings = StressLoss(loss, kInputs);
  EXPECT_TRUE(findings.ok()) << Message(findings.status());
  return *findings;
}

std::set<std::string> Cases(const std::vector<LossFinding>& findings) {
  std::set<std::string> names;
  for (const LossFinding& f : findings) names.insert(f.input_case);
  return names;
}

TEST(StressLoss, ASoundLossHasNoFindings) {
  // Huber's loss is a line far out: the square of 1e30 is never taken.
  const auto findings = Try([](Var pred, const BatchVars& b) {
    const Var valid = b["mask"] != 0;
    const Var error = abs(pred - select(valid, b["y"], 0.0));
    const Var near = minimum(error, 1.0);
    return masked_mean(near * (error - 0.5 * near), valid);
  });
  EXPECT_EQ(Describe(findings), "");
}

TEST(StressLoss, NamesTheLogarithmOfZeroAndOfANegative) {
  const int line = __LINE__ + 2;
  const auto findings = Try([](Var pred, const BatchVars& b) {
    return mean(square(log(pred) - log(abs(b["y"]) + 1.0)));
  });
  const auto cases = Cases(findings);
  EXPECT_THAT(cases, Contains("zeros"));
  EXPECT_THAT(cases, Contains("negative"));
  EXPECT_THAT(cases, Contains("zeros, one row"));
  EXPECT_THAT(cases, Not(Contains("prediction equal to target")));
  bool seen = false;
  for (const LossFinding& f : findings) {
    if (f.input_case != "zeros" || f.backward) continue;
    seen = true;
    EXPECT_EQ(f.operation, "log");
    EXPECT_EQ(f.loc.ToString(), Cat("stress_loss_test.cc:", line));
    EXPECT_EQ(f.element, 0);
    ASSERT_EQ(f.operands.size(), 1u);
    EXPECT_EQ(f.operands[0], 0);
  }
  EXPECT_TRUE(seen);
  EXPECT_THAT(Describe(findings), HasSubstr("zeros: the loss is "));
}

TEST(StressLoss, FindsAGradientThatIsNaNUnderAFiniteLoss) {
  const int line = __LINE__ + 2;
  const auto findings = Try([](Var pred, const BatchVars& b) {
    const Var error = sqrt(square(pred - b["y"]));
    return mean(select(b["mask"] != 0, error, 0.0));
  });
  bool seen = false;
  for (const LossFinding& f : findings) {
    // sqrt has no slope at 0.
    if (f.input_case != "prediction equal to target") continue;
    EXPECT_TRUE(f.backward);
    EXPECT_EQ(f.loc.ToString(), Cat("stress_loss_test.cc:", line));
    seen = true;
  }
  EXPECT_TRUE(seen) << Describe(findings);
}

TEST(StressLoss, AMaskAfterTheSquareLetsNaNIntoTheGradient) {
  const auto by_hand = Cases(Try([](Var pred, const BatchVars& b) {
    return mean(select(b["mask"] != 0, square(pred - b["y"]), 0.0));
  }));
  EXPECT_THAT(by_hand, Contains("NaN target where the mask is 0"));
  const auto framework = Cases(Try([](Var pred, const BatchVars& b) {
    return weighted_mse(pred, b["y"], b["mask"]);
  }));
  EXPECT_THAT(framework, Not(Contains("NaN target where the mask is 0")));
  EXPECT_THAT(framework, Not(Contains("empty mask")));
}

TEST(StressLoss, AnEmptyMaskIsZeroOverZero) {
  const auto cases = Cases(Try([](Var pred, const BatchVars& b) {
    return sum(b["mask"] * abs(pred - b["mask"])) / sum(b["mask"]);
  }));
  EXPECT_THAT(cases, Contains("empty mask"));
  EXPECT_THAT(cases, Contains("empty mask, one row"));
}

TEST(StressLoss, RefusesWhatIsNoLoss) {
  const auto error = [](const LossFunction& loss,
                        const std::vector<LossInput>& inputs) {
    return Message(StressLoss(loss, inputs).status());
  };
  const LossFunction itself = [](Var pred, const BatchVars&) { return pred; };
  EXPECT_THAT(error(itself, kInputs), HasSubstr("must be an f32 scalar"));
  EXPECT_THAT(error(itself, {{"y", {2}, InputRole::kTarget}}),
              HasSubstr("role of the prediction, got 0"));
  EXPECT_THAT(
      error([](Var pred, const BatchVars& b) { return mean(pred - b["z"]); },
            kInputs),
      HasSubstr("no tensor \"z\""));
}

}  // namespace
}  // namespace gyre::internal::inline tests
