#include "models/batch_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autodiff/ops/elementwise.h"

namespace gyre {
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
}  // namespace gyre
