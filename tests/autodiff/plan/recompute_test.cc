#include "gyre/autodiff/plan/recompute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/vjp.h"
#include "tests/support/evaluate.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;

Var RobustLoss(Var pred, Var target) {
  const Var e = pred - target;
  const Var loss = log(1.0 + e * e);
  return mean(select(e < 0.0, 2.0 * loss, loss));
}

std::vector<std::string> OpNamesRecompute(const Tape& tape,
                                          std::vector<Var> results) {
  const auto plan = Plan::Compile(tape, results);
  EXPECT_TRUE(plan.ok()) << Message(plan.status());
  std::vector<std::string> names;
  for (const Node& node : (*plan)->graph().nodes) {
    names.emplace_back(node.op->name());
  }
  return names;
}

TEST(RecomputeCheapValues, ATracedLossStoresNothingForItsGradient) {
  Tape tape;
  const Var a = tape.Input("a", {{300}, DType::kF32, 0});
  const Var b = tape.Input("b", {{300}, DType::kF32, 0});
  const Var loss = RobustLoss(a, b);
  EXPECT_THAT(
      OpNamesRecompute(tape, {loss, Gradients(loss, std::vector<Var>{a})[0]}),
      ElementsAre("fused_sum", "fused", "fused"));
}

TEST(RecomputeCheapValues, WhatIsStoredAnywayIsRead) {
  Tape tape;
  const Var x = tape.Input("x", {{8, 8}, DType::kF32, 0});
  const Var h = relu(x);
  const Var loss = sum(matmul(h, h) * h);
  const Var dx = Gradients(loss, std::vector<Var>{x})[0];
  Graph graph = GraphOf(tape, {loss.id(), dx.id()});
  const std::size_t before = graph.nodes.size();
  RecomputeCheapValues(graph);
  for (const Node& node : graph.nodes) {
    EXPECT_FALSE(node.phase == Phase::kBackward && node.op->name() == "relu");
  }
  EXPECT_GE(graph.nodes.size(), before);
}

TEST(RecomputeCheapValues, ExpensiveValuesAreKept) {
  Tape tape;
  const Var x = tape.Input("x", {{100}, DType::kF32, 0});
  const Var loss = sum(square(tanh(x)));
  const Var dx = Gradients(loss, std::vector<Var>{x})[0];
  Graph graph = GraphOf(tape, {loss.id(), dx.id()});
  RecomputeCheapValues(graph);
  int count = 0;
  for (const Node& node : graph.nodes) count += node.op->name() == "tanh";
  EXPECT_EQ(count, 1);
}

TEST(RecomputeCheapValues, TheBitsStay) {
  Tensor a = Tensor::Zeros({1000}), b = Tensor::Zeros({1000});
  for (int i = 0; i < 1000; ++i) {
    a.data<float>()[i] = std::sin(0.37f * i) * 3;
    b.data<float>()[i] = std::cos(0.11f * i);
  }
  const auto f = [](Tape&, std::span<const Var> x) {
    const Var loss = RobustLoss(x[0], x[1]) + mean(abs(x[0] * x[1]) * x[0]);
    std::vector<Var> results = Gradients(loss, x);
    results.push_back(loss);
    return results;
  };
  const auto fused = Evaluate(f, {a, b});
  const auto plain = Evaluate(f, {a, b}, {.fuse = false, .jit = false});
  ASSERT_TRUE(fused.ok() && plain.ok());
  for (std::size_t i = 0; i < fused->size(); ++i) {
    EXPECT_EQ(
        std::memcmp((*fused)[i].raw(), (*plain)[i].raw(), (*fused)[i].bytes()),
        0);
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
