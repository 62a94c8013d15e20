#include "gyre/autodiff/exec/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/rng.h"
#include "tests/support/evaluate.h"
#include "tests/support/near.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

Tensor Random(Shape shape, std::uint32_t stream) {
  Tensor t = Tensor::Zeros(std::move(shape));
  const Rng rng({.seed = 1, .step = 0, .stream = stream});
  auto data = t.data<float>();
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = rng.Normal(i);
  return t;
}

std::vector<double> Doubles(const Tensor& t) {
  return {t.data<float>().begin(), t.data<float>().end()};
}

TEST(Executor, ComputesAndComputesAgain) {
  Tape tape;
  const Var x = tape.Input("x", {{3}, DType::kF32, 0});
  const Var results[] = {sum(x * x)};
  const auto plan = Plan::Compile(tape, results);
  ASSERT_TRUE(plan.ok()) << Message(plan.status());
  auto executor = Executor::Create(*plan);
  ASSERT_TRUE(executor.ok());
  Tensor a = Tensor::Of<float>({3}, {1, 2, 3});
  Tensor b = Tensor::Of<float>({3}, {0, 0, 5});
  (*executor)->Bind(0, a.raw());
  ASSERT_TRUE((*executor)->Run({}).ok());
  EXPECT_EQ(*(*executor)->Result<float>(0), 14.0f);
  (*executor)->Bind(0, b.raw());
  ASSERT_TRUE((*executor)->Run({}).ok());
  EXPECT_EQ(*(*executor)->Result<float>(0), 25.0f);
}

// A NaN under the mask reaches neither the value nor the gradient.
TEST(Executor, MaskedMeanIgnoresWhatIsMasked) {
  const auto out = Evaluate(
      [](Tape&, std::span<const Var> x) {
        const Var loss = masked_mean(square(x[0]), x[1]);
        return std::vector<Var>{loss, Gradients(loss, x.subspan(0, 1))[0]};
      },
      {Tensor::Of<float>({4}, {1, kNan, 3, 100}),
       Tensor::Of<float>({4}, {1, 0, 1, 0})});
  ASSERT_TRUE(out.ok()) << Message(out.status());
  EXPECT_FLOAT_EQ((*out)[0].data<float>()[0], 5.0f);
  // The square's own slope at the NaN is NaN times a gradient of 0: the mask
  // must come before the square (WARNING of masked_mean), here it does not.
  EXPECT_TRUE(AllNear<float>((*out)[1].data<float>(), {1, NAN, 3, 0}, 0));
}

TEST(Executor, MaskBeforeTheOperationGivesZeroGradient) {
  const auto out = Evaluate(
      [](Tape&, std::span<const Var> x) {
        const Var kept = select(x[1] != 0.0, x[0], 0.0);
        const Var loss = masked_mean(square(kept), x[1]);
        return std::vector<Var>{loss, Gradients(loss, x.subspan(0, 1))[0]};
      },
      {Tensor::Of<float>({3}, {1, kNan, 3}),
       Tensor::Of<float>({3}, {1, 0, 1})});
  ASSERT_TRUE(out.ok());
  EXPECT_TRUE(AllNear<float>((*out)[1].data<float>(), {1, 0, 3}, 0));
}

TEST(Executor, MaskedMeanOfNothingIsZero) {
  const auto out = Evaluate(
      [](Tape&, std::span<const Var> x) {
        const Var loss = masked_mean(x[0], x[1]);
        return std::vector<Var>{loss, Gradients(loss, x.subspan(0, 1))[0]};
      },
      {Tensor::Of<float>({2}, {1, kNan}), Tensor::Of<float>({2}, {0, 0})});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ((*out)[0].data<float>()[0], 0.0f);
  EXPECT_TRUE(AllNear<float>((*out)[1].data<float>(), {0, 0}, 0));
}

TEST(Executor, ReductionsOverNothing) {
  const auto out = Evaluate(
      [](Tape&, std::span<const Var> x) {
        return std::vector<Var>{sum(x[0], {1}), max(x[0], {1}), mean(x[0])};
      },
      {Tensor::Zeros({2, 0})});
  ASSERT_TRUE(out.ok()) << Message(out.status());
  EXPECT_TRUE(AllNear<float>((*out)[0].data<float>(), {0, 0}, 0));
  EXPECT_TRUE(
      AllNear<float>((*out)[1].data<float>(), {-INFINITY, -INFINITY}, 0));
  EXPECT_TRUE(std::isnan((*out)[2].data<float>()[0]));
}

TEST(Executor, FastAndReferenceKernelsAgree) {
  const auto f = [](Tape&, std::span<const Var> x) {
    const Var y = conv2d(x[0], x[1], {.padding = {2, 2}});
    const Var z = matmul(reshape(tanh(y), {2, -1}), x[2]);
    const Var loss = mean(square(z));
    std::vector<Var> results = {loss};
    for (const Var& g : Gradients(loss, x)) results.push_back(g);
    return results;
  };
  const std::vector<Tensor> inputs = {Random({2, 6, 9, 7}, 1),
                                      Random({8, 6, 5, 5}, 2),
                                      Random({8 * 9 * 7, 3}, 3)};
  const auto fast = Evaluate(f, inputs);
  const auto slow = Evaluate(f, inputs, {.kernels = KernelSet::kReference});
  ASSERT_TRUE(fast.ok() && slow.ok());
  for (std::size_t i = 0; i < fast->size(); ++i) {
    EXPECT_TRUE(AllNear((*fast)[i].data<float>(), Doubles((*slow)[i]), 2e-3))
        << "result " << i;
  }
}

TEST(Executor, SixteenBitTensorsComputeInF32) {
  const auto out = Evaluate(
      [](Tape&, std::span<const Var> x) {
        const Var h = cast(x[0], DType::kBF16);
        return std::vector<Var>{cast(h * h, DType::kF32)};
      },
      {Tensor::Of<float>({3}, {1.5f, -3.0f, 1e20f})});
  ASSERT_TRUE(out.ok()) << Message(out.status());
  EXPECT_TRUE(AllNear<float>((*out)[0].data<float>(), {2.25, 9, INFINITY}, 0));
}

}  // namespace
}  // namespace gyre::internal::inline tests
