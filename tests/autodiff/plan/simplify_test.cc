#include "gyre/autodiff/plan/simplify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "tests/support/evaluate.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FoldConstants, ComputesOnceWhatNoInputReaches) {
  Tape tape;
  const Var x = tape.Input("x", {{4}, DType::kF32, 0});
  const Var weights = tape.Constant(Tensor::Of<float>({4}, {1, 2, 3, 4}));
  const Var share = exp(weights) / sum(exp(weights));
  Graph graph = GraphOf(tape, {(x * share).id()});
  FoldConstants(graph, KernelSet::kFast);
  ASSERT_EQ(graph.nodes.size(), 1u);
  EXPECT_EQ(graph.nodes.back().op->name(), "mul");
}

TEST(FoldConstants, GivesTheBitsOfTheStep) {
  const auto f = [](Tape& tape, std::span<const Var> x) {
    const Var c = tape.Constant(Tensor::Of<float>({3}, {0.1f, -2, 3}));
    return std::vector<Var>{tanh(c) * 3.0 + x[0] * 0.0, tanh(x[0]) * 3.0};
  };
  const auto y = Evaluate(f, {Tensor::Of<float>({3}, {0.1f, -2, 3})});
  ASSERT_TRUE(y.ok());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ((*y)[0].data<float>()[i], (*y)[1].data<float>()[i]);
  }
}

TEST(FoldConstants, AResultMayBeAConstant) {
  const auto f = [](Tape& tape, std::span<const Var>) {
    return std::vector<Var>{tape.Scalar(2, DType::kF32) * 3.0};
  };
  const auto y = Evaluate(f, {});
  ASSERT_TRUE(y.ok());
  EXPECT_EQ((*y)[0].data<float>()[0], 6.0f);
}

TEST(FoldConstants, LeavesLargeTensorsToTheStep) {
  Tape tape;
  const Var c = tape.Constant(Tensor::Zeros({5000}));
  Graph graph = GraphOf(tape, {exp(c).id()});
  FoldConstants(graph, KernelSet::kFast);
  EXPECT_EQ(graph.nodes.size(), 1u);
}

TEST(BypassBroadcasts, OnlyWhereScalarsAreTaken) {
  Tape tape;
  const Var s = tape.Input("s", {{}, DType::kF32, 0});
  const Var y = exp(broadcast_to(s, {3, 4}));
  Graph graph = GraphOf(tape, {y.id()});
  BypassBroadcasts(graph);
  EXPECT_NE(graph.nodes.back().inputs[0], s.id());
}

TEST(Explain, HidesReshapes) {
  Tape tape;
  const Var x = tape.Input("x", {{4, 4}, DType::kF32, 0});
  const Var results[] = {exp(reshape(exp(x), {16}))};
  const auto plan = Plan::Compile(tape, results);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT((*plan)->Explain(), HasSubstr("plan: 2 operations"));
  EXPECT_THAT((*plan)->Explain(), Not(HasSubstr("reshape")));
}

}  // namespace
}  // namespace gyre::internal::inline tests
