#include "gyre/train/step/activations.h"

#include <gtest/gtest.h>

#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/models/mlp.h"

namespace gyre::internal::inline tests {
namespace {

TEST(FindActivations, TakesTheFirstProductOfEachLayer) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("x", {{4, 3}, DType::kF32});
  const Var y = Mlp{{8, 2}}(params, x);
  ASSERT_TRUE(y.valid());
  const auto found = FindActivations(tape, params);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].value.shape(), Shape({4, 8}));
  EXPECT_EQ(found[1].value.shape(), Shape({4, 2}));
  EXPECT_NE(found[0].layer, found[1].layer);
}

TEST(FindActivations, FollowsAWeightThroughCasts) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var image = tape.Input("x", {{1, 2, 6, 6}, DType::kF32});
  const Var w = params.Get("head.w", {4, 2, 3, 3}, Zeros());
  const Var b = params.Get("scale", {1}, Ones());
  conv2d(cast(image, DType::kBF16), cast(w, DType::kBF16), {}) *
      cast(b, DType::kBF16);
  const auto found = FindActivations(tape, params);
  ASSERT_EQ(found.size(), 1u);  // a scale has no product
  EXPECT_EQ(found[0].layer, "head");
  EXPECT_EQ(found[0].value.dtype(), DType::kBF16);
  EXPECT_EQ(found[0].value.shape(), Shape({1, 4, 4, 4}));
}

}  // namespace
}  // namespace gyre::internal::inline tests
