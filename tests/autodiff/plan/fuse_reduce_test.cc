#include "gyre/autodiff/plan/fuse_reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/rng.h"
#include "tests/support/evaluate.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;

struct Huber {
  float delta = 1.0f;
  template <class T>
  T operator()(const T& pred, const T& target) const {
    const T e = pred - target;
    const T a = math::abs(e);
    return math::select(a <= delta, 0.5f * e * e, delta * (a - 0.5f * delta));
  }
};

std::vector<std::string> OpNames(const Tape& tape, std::vector<Var> results) {
  const auto plan = Plan::Compile(tape, results);
  EXPECT_TRUE(plan.ok()) << Message(plan.status());
  std::vector<std::string> names;
  for (const Node& node : (*plan)->graph().nodes) {
    if (!node.op->is_alias()) names.emplace_back(node.op->name());
  }
  return names;
}

Tensor Normal(Shape shape, std::uint32_t stream) {
  Tensor t = Tensor::Zeros(shape);
  const Rng rng({.seed = 7, .step = 0, .stream = stream});
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    t.data<float>()[i] = rng.Normal(i);
  }
  return t;
}

void ExpectSameBits(const TraceFunction& f, const std::vector<Tensor>& inputs) {
  const auto fused = Evaluate(f, inputs);
  const auto plain = Evaluate(f, inputs, {.fuse = false, .jit = false});
  ASSERT_TRUE(fused.ok() && plain.ok());
  for (std::size_t i = 0; i < fused->size(); ++i) {
    EXPECT_EQ(
        std::memcmp((*fused)[i].raw(), (*plain)[i].raw(), (*fused)[i].bytes()),
        0)
        << "result " << i;
  }
}

TEST(FuseReductions, AReductionTakesInWhatItAloneReads) {
  Tape tape;
  const Var x = tape.Input("x", {{4, 8}, DType::kF32, 0});
  const Var y = tape.Input("y", {{8}, DType::kF32, 0});
  EXPECT_THAT(OpNames(tape, {sum(square(x - y), {1})}),
              ElementsAre("fused_sum"));
  EXPECT_THAT(OpNames(tape, {max(x * y, {0})}), ElementsAre("fused_max"));
}

TEST(FuseReductions, WhatOthersReadIsStored) {
  Tape tape;
  const Var x = tape.Input("x", {{4, 8}, DType::kF32, 0});
  const Var y = exp(x);
  EXPECT_THAT(OpNames(tape, {sum(y, {1}), y}), ElementsAre("fused", "sum"));
}

TEST(FuseReductions, ARoundedOperandStaysRounded) {
  Tape tape;
  const Var x = tape.Input("x", {{4, 8}, DType::kBF16, 0});
  EXPECT_THAT(OpNames(tape, {sum(x * x, {1})}), ElementsAre("fused", "sum"));
}

TEST(FuseReductions, GivesTheBitsOfTheTwoOperations) {
  for (const Shape& shape :
       {Shape({3, 7, 11}), Shape({1000}), Shape({2, 300}), Shape({1, 1})}) {
    const auto f = [&](Tape&, std::span<const Var> x) {
      const Var e = tanh(x[0]) * x[1] + 0.5;
      std::vector<Var> results = {sum(e), mean(e * e)};
      for (int axis = 0; axis < shape.rank(); ++axis) {
        results.push_back(sum(e * 3.0, {axis}));
        results.push_back(max(e - 1.0, {axis}, true));
      }
      return results;
    };
    ExpectSameBits(f, {Normal(shape, 0), Normal(shape, 1)});
  }
}

TEST(FuseFunctorSums, ALossAndItsGradientAreOnePass) {
  Tape tape;
  const Var a = tape.Input("a", {{6, 50}, DType::kF32, 0});
  const Var b = tape.Input("b", {{6, 50}, DType::kF32, 0});
  const Var loss = mean(pointwise(Huber{}, a, b));
  std::vector<Var> results = Gradients(loss, std::vector<Var>{a});
  results.push_back(loss);
  EXPECT_THAT(OpNames(tape, results),
              ElementsAre("pointwise_sum_grad", "fused"));
}

TEST(FuseFunctorSums, AGradientKnownOnlyLaterHasItsOwnPass) {
  Tape tape;
  const Var a = tape.Input("a", {{6, 50}, DType::kF32, 0});
  const Var loss = exp(mean(pointwise(Huber{}, a, 0.0)));
  EXPECT_THAT(OpNames(tape, {loss, Gradients(loss, std::vector<Var>{a})[0]}),
              ElementsAre("pointwise_sum", "fused", "fused", "pointwise_grad"));
}

TEST(FuseFunctorSums, GivesTheBitsOfTheSeparateOperations) {
  for (const std::int64_t n : {0, 1, 7, 8, 256, 1003}) {
    const auto f = [](Tape&, std::span<const Var> x) {
      const Var loss = mean(pointwise(Huber{0.5f}, x[0], x[1])) +
                       exp(mean(pointwise(Huber{2.0f}, x[1], 0.25)));
      std::vector<Var> results = Gradients(loss, x);
      results.push_back(loss);
      return results;
    };
    ExpectSameBits(f, {Normal({n}, 0), Normal({n}, 1)});
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
