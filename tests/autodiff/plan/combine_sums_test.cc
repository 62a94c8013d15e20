#include "gyre/autodiff/plan/combine_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;

std::shared_ptr<const Plan> MustCompile(const Tape& tape,
                                        std::vector<Var> results,
                                        const PlanOptions& options = {}) {
  auto plan = Plan::Compile(tape, results, options);
  EXPECT_TRUE(plan.ok()) << Message(plan.status());
  return plan.ok() ? *plan : nullptr;
}

int CountSums(const Plan& plan) {
  int count = 0;
  for (const Node& node : plan.graph().nodes)
    count += node.op->name() == "psum";
  return count;
}

TEST(CombineSums, OneMessageForSumsThatNobodyHasReadYet) {
  Tape tape;
  const Var x = tape.Input("x", {{4, 8}, DType::kF32, 1});
  const Var w = tape.Input("w", {{4, 8}, DType::kF32, 1});
  EXPECT_EQ(CountSums(*MustCompile(tape, {masked_mean(x, w)})), 1);
  EXPECT_EQ(CountSums(*MustCompile(tape, {sum(x), sum(w), sum(exp(x))})), 1);
}

TEST(CombineSums, ASumOfASumWaitsForIt) {
  Tape tape;
  const Var x = tape.Input("x", {{8}, DType::kF32, 3});
  const Var y = tape.Input("y", {{8}, DType::kF32, 3});
  const Var scaled = sum(y * sum(x));
  EXPECT_EQ(CountSums(*MustCompile(tape, {scaled})), 2);
}

TEST(CombineSums, OtherAxesTypesAndLargeSumsGoAlone) {
  Tape tape;
  const Var x = tape.Input("x", {{8}, DType::kF32, 1});
  const Var other_axis = tape.Input("y", {{8}, DType::kF32, 2});
  const Var other_type = tape.Input("z", {{8}, DType::kF64, 1});
  const Var large = tape.Input("l", {{5000}, DType::kF32, 1});
  EXPECT_EQ(CountSums(*MustCompile(tape, {sum(x), sum(other_axis)})), 2);
  EXPECT_EQ(CountSums(*MustCompile(tape, {sum(x), sum(other_type)})), 2);
  EXPECT_EQ(CountSums(*MustCompile(tape, {sum(x), psum(large)})), 2);
}

TEST(CombineSums, EachResultIsItsOwn) {
  Tape tape;
  const Var x = tape.Input("x", {{3}, DType::kF32, 1});
  const auto plan = MustCompile(tape, {psum(x), sum(x), sum(x * x)});
  EXPECT_EQ(CountSums(*plan), 1);
  const auto executor = Executor::Create(plan);
  ASSERT_TRUE(executor.ok());
  Tensor data = Tensor::Of<float>({3}, {1, 2, 4});
  (*executor)->Bind(0, data.raw());
  ASSERT_TRUE((*executor)->Run({}).ok());
  const float* vector = (*executor)->Result<float>(0);
  EXPECT_THAT(std::vector<float>(vector, vector + 3), ElementsAre(1, 2, 4));
  EXPECT_EQ(*(*executor)->Result<float>(1), 7);
  EXPECT_EQ(*(*executor)->Result<float>(2), 21);
}

}  // namespace
}  // namespace gyre::internal::inline tests
