#include "gyre/models/batch_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/ops/elementwise.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

TEST(BatchNorm, DeclaresParametersAndBuffers) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("x", {{2, 3, 4, 5}, DType::kF32, 0});
  const Var y = batch_norm(params, "n", x);
  EXPECT_EQ(y.shape(), Shape({2, 3, 4, 5}));
  EXPECT_TRUE(tape.errors().empty()) << tape.FirstError().ToString();
  ASSERT_EQ(params.buffers().size(), 2u);
  EXPECT_EQ(params.buffers()[0].name, "n.mean");
  EXPECT_EQ(params.buffers()[1].name, "n.var");
  EXPECT_EQ(params.buffers()[1].initial.data<float>()[2], 1.0f);
  EXPECT_TRUE(params.buffers()[0].next.valid());
}

TEST(BatchNorm, RunningStatisticsAreReadAndNotSet) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("x", {{2, 3}, DType::kF32, 0});
  EXPECT_TRUE(batch_norm(params, "n", x, {.use_running = true}).valid());
  EXPECT_FALSE(params.buffers()[0].next.valid());
}

TEST(BatchNorm, RefusesAVector) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("x", {{3}, DType::kF32, 0});
  EXPECT_FALSE(batch_norm(params, "n", x).valid());
  EXPECT_THAT(tape.FirstError().ToString(), HasSubstr("n: batch norm needs"));
}

// y and the next buffers for two samples of one channel: 1 and 3.
std::vector<float> Normalised(const BatchNormOptions& options) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("x", {{2, 1}, DType::kF32, 0});
  std::vector<Var> results = {batch_norm(params, "n", x, options)};
  for (const Buffer& buffer : params.buffers()) {
    if (buffer.next.valid()) results.push_back(buffer.next);
  }
  const auto plan = Plan::Compile(tape, results);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  auto executor = Executor::Create(*plan);
  EXPECT_TRUE(executor.ok());
  // In the order of declaration: x, gain, bias, mean, var.
  Tensor values[] = {Tensor::Of<float>({2, 1}, {1, 3}),
                     Tensor::Of<float>({1}, {2}),
                     Tensor::Of<float>({1}, {5}),
                     Tensor::Of<float>({1}, {1}),
                     Tensor::Of<float>({1}, {4})};
  for (int i = 0; i < 5; ++i) (*executor)->Bind(i, values[i].raw());
  EXPECT_TRUE((*executor)->Run({}).ok());
  std::vector<float> numbers;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Tensor t = (*executor)->ResultTensor(static_cast<int>(i));
    numbers.insert(
        numbers.end(), t.data<float>().begin(), t.data<float>().end());
  }
  return numbers;
}

TEST(BatchNorm, NormalisesAndMovesTheRunningStatistics) {
  using testing::FloatEq;
  // The batch: mean 2, variance 1. Running: mean 1, variance 4.
  EXPECT_THAT(Normalised({.eps = 0, .momentum = 0.25}),
              testing::ElementsAre(
                  FloatEq(3), FloatEq(7), FloatEq(1.25), FloatEq(3.25)));
  EXPECT_THAT(Normalised({.eps = 0, .use_running = true}),
              testing::ElementsAre(FloatEq(5), FloatEq(7)));
}

std::string ErrorOf(const std::function<void(Tape&, Params&)>& f) {
  Tape tape;
  Params params(tape, 1, 0);
  f(tape, params);
  return tape.FirstError().ToString();
}

TEST(Buffers, ErrorsSayWhatIsWrong) {
  EXPECT_THAT(ErrorOf([](Tape&, Params& p) {
                p.GetBuffer("b", {2}, Zeros());
                p.GetBuffer("b", {3}, Zeros());
              }),
              HasSubstr("\"b\" has shape (2) and is asked for as (3)"));
  EXPECT_THAT(ErrorOf([](Tape& tape, Params& p) {
                p.GetBuffer("b", {2}, Zeros());
                p.SetBuffer("b", tape.Scalar(1, DType::kF32));
              }),
              HasSubstr("\"b\" has f32 (2) and is set to f32 ()"));
  EXPECT_THAT(ErrorOf([](Tape&, Params& p) {
                const Var b = p.GetBuffer("b", {2}, Zeros());
                p.SetBuffer("b", b + 1.0);
                p.SetBuffer("b", b + 2.0);
              }),
              HasSubstr("\"b\" is set twice"));
  EXPECT_THAT(ErrorOf([](Tape& tape, Params& p) {
                p.SetBuffer("b", tape.Scalar(1, DType::kF32));
              }),
              HasSubstr("was not declared"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
