#include "gyre/models/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/models/batch_vars.h"
#include "gyre/models/mlp.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

TEST(Layers, LinearKeepsLeadingAxes) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("x", {{2, 5, 3}, DType::kF32, 0});
  EXPECT_EQ(linear(params, "l", x, 7).shape(), Shape({2, 5, 7}));
  EXPECT_EQ(params.all()[0].name, "l.w");
  EXPECT_EQ(params.all()[1].initial.shape(), Shape({7}));
}

TEST(Layers, ConvKeepsHeightAndWidth) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("x", {{2, 6, 33, 36}, DType::kF32, 0});
  EXPECT_EQ(conv(params, "c", x, 8, {.kernel = 5}).shape(),
            Shape({2, 8, 33, 36}));
  EXPECT_TRUE(tape.errors().empty());
  EXPECT_FALSE(conv(params, "d", x, 8, {.kernel = 4}).valid());
  EXPECT_THAT(Message(tape.FirstError()), HasSubstr("odd kernel"));
}

TEST(Layers, MlpDeclaresItsLayersInOrder) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("x", {{4, 3}, DType::kF32, 0});
  EXPECT_EQ((Mlp{{8, 2}}(params, x).shape()), Shape({4, 2}));
  ASSERT_EQ(params.all().size(), 4u);
  EXPECT_EQ(params.all()[3].name, "layer1.b");
}

TEST(BatchVars, AMissingNameListsThoseThere) {
  Tape tape;
  const BatchVars batch(tape, {{"x", tape.Input("x", {{2}, DType::kF32, 0})}});
  EXPECT_TRUE(batch["x"].valid());
  EXPECT_FALSE(batch["y"].valid());
  EXPECT_THAT(Message(tape.FirstError()),
              HasSubstr("no tensor \"y\"; the batch has x (2)"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
