// The promise of the guard, over whole steps: what is skipped leaves no trace.

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/sgd.h"
#include "tests/optim/flat_world.h"
#include "tests/support/special_numbers.h"

namespace gyre::optim {

using namespace internal;

namespace {

using ::testing::HasSubstr;

AnyOptimizer Adamish(Guard guard) {
  return Chain(guard,
               AdamW(WarmupCosine{.peak = 0.1, .warmup = 3, .total = 50}));
}

void Fill(FlatWorld& w, int step) {
  for (const TensorSlot& t : w.layout().tensors()) {
    for (std::int64_t i = t.offset; i < t.offset + t.size; ++i) {
      w.grads()[i] = std::cos(0.3f * i + step);
    }
  }
}

TEST(SkipTest, ARunWithSkipsIsTheRunWithoutThoseSteps) {
  for (const float bad : {kNan, kInf, -kInf}) {
    FlatWorld clean(MakeLayout({{3, 5}, {33}}), Adamish({.max_norm = 1}));
    FlatWorld hit(MakeLayout({{3, 5}, {33}}), Adamish({.max_norm = 1}));
    Verdict v;
    for (int step = 0; step < 12; ++step) {
      Fill(clean, step);
      ASSERT_TRUE(clean.Step(1, &v).ok());
      ASSERT_TRUE(v.clean());
      if (step % 3 == 1) {
        Fill(hit, 1000 + step);
        hit.grads()[step] = bad;
        ASSERT_TRUE(hit.Step(1, &v).ok());
        ASSERT_EQ(v.action, Action::kSkip);
      }
      Fill(hit, step);
      ASSERT_TRUE(hit.Step(1, &v).ok());
    }
    EXPECT_EQ(hit.params(), clean.params());
    EXPECT_EQ(hit.state(0), clean.state(0));
    EXPECT_EQ(hit.state(1), clean.state(1));
    EXPECT_EQ(hit.guard_state().applied, 12);
    EXPECT_EQ(hit.guard_state().skipped, 4);
  }
}

TEST(SkipTest, AnUpdateThatOverflowsIsSkippedWhole) {
  FlatWorld w(MakeLayout({{40}}), Adamish({}));
  Verdict v;
  Fill(w, 0);
  ASSERT_TRUE(w.Step(1, &v).ok());
  const float p0 = w.params()[0], p39 = w.params()[39];
  w.grads()[39] = 1e20f;  // finite, and its square is not
  ASSERT_TRUE(w.Step(1, &v).ok());
  EXPECT_EQ(v.reasons, kReasonUpdate);
  EXPECT_EQ(v.action, Action::kSkip);
  EXPECT_EQ(w.params()[0], p0);
  EXPECT_EQ(w.params()[39], p39);
  EXPECT_EQ(w.guard_state().applied, 1);
}

// A guard that gives up after two errors and accepts the third is the bug.
TEST(SkipTest, ThreeNaNStepsWithABudgetOfTwoHalt) {
  FlatWorld w(MakeLayout({{7}}), Adamish({.max_consecutive_skips = 2}));
  FlatWorld untouched(MakeLayout({{7}}), Adamish({}));
  Verdict v;
  for (int step = 0; step < 3; ++step) {
    Fill(w, step);
    w.grads()[3] = kNan;
    const Status s = w.Step(1, &v);
    EXPECT_EQ(s.ok(), step < 2);
    EXPECT_FALSE(v.applies());
  }
  Fill(w, 3);
  EXPECT_FALSE(w.Step(1, &v).ok());
  EXPECT_EQ(w.params(), untouched.params());
  EXPECT_EQ(w.guard_state().applied, 0);
  EXPECT_EQ(w.guard_state().attempted, 4);
}

// Every gradient infinite for five steps: each is told, nothing moves.
TEST(SkipTest, FiveInfiniteStepsAreFiveSkips) {
  FlatWorld w(MakeLayout({{9}}), Adamish({.max_consecutive_skips = 4}));
  Verdict v;
  for (int step = 0; step < 5; ++step) {
    for (int i = 0; i < 9; ++i) w.grads()[i] = kInf;
    const Status s = w.Step(1, &v);
    EXPECT_EQ(v.action, Action::kSkip);
    EXPECT_THAT(v.Describe(w.layout()), HasSubstr("9 bad gradient elements"));
    EXPECT_EQ(w.guard_state().applied, 0);  // schedules stand still
    EXPECT_EQ(s.ok(), step < 4);
  }
  EXPECT_EQ(w.guard_state().skipped, 5);
}

TEST(SkipTest, OneNaNInALongRunIsExactlyOneSkip) {
  FlatWorld w(MakeLayout({{5}}), Adamish({}));
  Verdict v;
  for (int step = 0; step < 400; ++step) {
    Fill(w, step);
    ASSERT_TRUE(w.Step(step == 200 ? kNan : 1, &v).ok());
    EXPECT_EQ(v.clean(), step != 200);
  }
  EXPECT_EQ(w.guard_state().skipped, 1);
  EXPECT_EQ(w.guard_state().applied, 399);
}

TEST(SkipTest, HugeFiniteGradientsAreClippedAndApplied) {
  FlatWorld w(MakeLayout({{100}}),
              Chain(Guard{.max_norm = 1}, ScaleByLearningRate{Constant{1}}));
  Verdict v;
  for (int i = 0; i < 100; ++i) w.grads()[i] = 1e20f;
  ASSERT_TRUE(w.Step(1, &v).ok());
  EXPECT_TRUE(v.clean());
  EXPECT_NEAR(v.norm / 1e21, 1, 1e-6);
  for (int i = 0; i < 100; ++i) EXPECT_NEAR(w.params()[i], -0.1, 1e-7);
}

TEST(SkipTest, ZeroGradientsAndZeroMaxNorm) {
  FlatWorld w(MakeLayout({{10}}),
              Chain(Guard{.max_norm = 0}, ScaleByLearningRate{Constant{1}}));
  Verdict v;
  ASSERT_TRUE(w.Step(1, &v).ok());
  EXPECT_TRUE(v.clean());
  EXPECT_EQ(w.params()[0], 0);
  Fill(w, 0);
  ASSERT_TRUE(w.Step(1, &v).ok());
  EXPECT_EQ(v.clip, 0);
  EXPECT_EQ(w.params()[0], 0);
}

TEST(SkipTest, ZeroPolicyAppliesTheRest) {
  FlatWorld w(MakeLayout({{4}}),
              Chain(Guard{.policy = Policy::kZero, .max_norm = 5},
                    ScaleByLearningRate{Constant{1}}));
  Verdict v;
  const float grads[] = {kNan, 6, 8, kInf};
  for (int i = 0; i < 4; ++i) w.grads()[i] = grads[i];
  ASSERT_TRUE(w.Step(1, &v).ok());
  EXPECT_TRUE(v.applies());
  EXPECT_FALSE(v.clean());
  EXPECT_EQ(v.norm, 10);
  EXPECT_EQ(w.params()[0], 0);
  EXPECT_EQ(w.params()[1], -3);
  EXPECT_EQ(w.params()[2], -4);
  EXPECT_EQ(w.params()[3], 0);
}

TEST(SkipTest, ObserveLetsItThrough) {
  FlatWorld w(MakeLayout({{4}}),
              Chain(Guard{.policy = Policy::kObserve, .max_norm = 1},
                    ScaleByLearningRate{Constant{1}}));
  Verdict v;
  w.grads()[1] = kNan;
  w.grads()[2] = 3;
  ASSERT_TRUE(w.Step(1, &v).ok());
  EXPECT_TRUE(v.applies());
  EXPECT_EQ(v.reasons, kReasonGradient | kReasonReduced | kReasonUpdate);
  EXPECT_TRUE(std::isnan(w.params()[1]));
  EXPECT_EQ(w.params()[2], -3);
}

}  // namespace
}  // namespace gyre::optim
