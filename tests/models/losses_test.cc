#include "gyre/models/losses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/vjp.h"
#include "tests/support/evaluate.h"
#include "tests/support/near.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

TEST(Losses, WeightedMseCountsOnlyWhatHasWeight) {
  const auto out = Evaluate(
      [](Tape&, std::span<const Var> x) {
        const Var loss = weighted_mse(x[0], x[1], x[2]);
        return std::vector<Var>{loss, Gradients(loss, x.subspan(0, 1))[0]};
      },
      {Tensor::Of<float>({4}, {1, 2, kNan, 4}),
       Tensor::Of<float>({4}, {0, kNan, 3, 0}),
       Tensor::Of<float>({4}, {1, 0, 0, 3})});
  ASSERT_TRUE(out.ok()) << Message(out.status());
  EXPECT_FLOAT_EQ((*out)[0].data<float>()[0], (1 * 1 + 3 * 16) / 4.0f);
  EXPECT_TRUE(AllNear<float>((*out)[1].data<float>(), {0.5, 0, 0, 6}, 1e-6));
}

// A prediction that is NaN where it counts must show.
TEST(Losses, WeightedMseDoesNotHideABadPrediction) {
  const auto out = Evaluate(
      [](Tape&, std::span<const Var> x) {
        return std::vector<Var>{weighted_mse(x[0], x[1], x[2])};
      },
      {Tensor::Of<float>({2}, {kNan, 2}),
       Tensor::Of<float>({2}, {0, 0}),
       Tensor::Of<float>({2}, {1, 1})});
  ASSERT_TRUE(out.ok());
  EXPECT_TRUE(std::isnan((*out)[0].data<float>()[0]));
}

TEST(Losses, PointwiseValues) {
  const auto out = Evaluate(
      [](Tape&, std::span<const Var> x) {
        return std::vector<Var>{pointwise(Huber{0.5f}, x[0], x[1]),
                                pointwise(LogCosh{}, x[0], x[1])};
      },
      {Tensor::Of<float>({3}, {0.25f, 2, -200}), Tensor::Zeros({3})});
  ASSERT_TRUE(out.ok());
  EXPECT_TRUE(AllNear<float>(
      (*out)[0].data<float>(), {0.03125, 0.5 * 1.75, 0.5 * 199.75}, 1e-5));
  EXPECT_TRUE(AllNear<float>((*out)[1].data<float>(),
                             {std::log(std::cosh(0.25)),
                              std::log(std::cosh(2.0)),
                              200 - std::log(2.0)},
                             1e-4));
}

}  // namespace
}  // namespace gyre::internal::inline tests
