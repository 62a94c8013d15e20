#include "gyre/autodiff/tape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "tests/support/evaluate.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

Tensor Zeros(Shape shape) { return Tensor::Zeros(std::move(shape)); }

TEST(Tape, KeepsTheCallersLine) {
  Tape tape;
  const Var x = tape.Input("x", {{2}, DType::kF32, 0});
  exp(x);
  const int exp_line = __LINE__ - 1;
  x + x;
  const int add_line = __LINE__ - 1;
  EXPECT_EQ(tape.nodes()[0].loc.line, exp_line);
  EXPECT_EQ(tape.nodes()[1].loc.line, add_line);
  EXPECT_EQ(tape.nodes()[0].loc.Basename(), "tape_test.cc");
}

TEST(Tape, ReportsTheFirstErrorWithItsLineAndBothShapes) {
  int line = 0;
  const std::string error = TraceError(
      [&](Tape&, std::span<const Var> x) {
        const Var bad = x[0] + x[1];
        line = __LINE__ - 1;
        return std::vector<Var>{exp(bad) * 2.0};
      },
      {Zeros({2, 3}), Zeros({4})});
  EXPECT_THAT(error, HasSubstr(Cat("tape_test.cc:", line, ": add: ")));
  EXPECT_THAT(error, HasSubstr("(2, 3)"));
  EXPECT_THAT(error, HasSubstr("(4)"));
}

TEST(Tape, ListsEveryError) {
  Tape tape;
  const Var x = tape.Input("x", {{2, 3}, DType::kF32, 0});
  matmul(x, x);
  reshape(x, {5});
  transpose(x, {0, 0});
  slice(x, 1, 2, 9);
  sum(x, {2});
  cast(x, DType::kI32) + cast(x, DType::kI32);
  conv2d(x, x);
  EXPECT_EQ(tape.errors().size(), 7u);
  EXPECT_THAT(Message(tape.errors()[0]), HasSubstr("do not multiply"));
  EXPECT_THAT(Message(tape.errors()[6]), HasSubstr("expected x (batch"));
}

TEST(Tape, RefusesNineAxesAndTooManyElements) {
  Tape tape;
  tape.Input("deep", {Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}), DType::kF32, 0});
  const Var x = tape.Input("x", {Shape({1 << 20, 1}), DType::kF32, 0});
  broadcast_to(x, Shape({1 << 20, 1 << 20, 1 << 20}));
  EXPECT_EQ(tape.errors().size(), 2u);
}

TEST(Tape, PoisonSpreadsWithoutFurtherErrors) {
  Tape tape;
  const Var x = tape.Input("x", {{2}, DType::kF32, 0});
  const Var y = tape.Input("y", {{3}, DType::kF32, 0});
  const Var bad = x + y;
  EXPECT_FALSE(bad.valid());
  EXPECT_FALSE((exp(bad) * 2.0 + x).valid());
  EXPECT_FALSE(mean(bad).valid());
  EXPECT_EQ(tape.errors().size(), 1u);
}

TEST(Tape, MixesFloatsAndMasksButNotF32AndF64) {
  Tape tape;
  const Var x = tape.Input("x", {{2}, DType::kF32, 0});
  const Var d = tape.Input("d", {{2}, DType::kF64, 0});
  EXPECT_EQ((x > 0.0).dtype(), DType::kBool);
  EXPECT_EQ(((x > 0.0) * x).dtype(), DType::kF32);
  EXPECT_EQ((d * 2.0).dtype(), DType::kF64);
  EXPECT_TRUE(tape.errors().empty());
  x + d;
  ASSERT_EQ(tape.errors().size(), 1u);
  EXPECT_THAT(Message(tape.errors()[0]), HasSubstr("use cast()"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
