#include "gyre/optim/loss_scale.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "gyre/optim/adam.h"
#include "tests/optim/flat_world.h"
#include "tests/support/special_numbers.h"

namespace gyre::optim {

using namespace internal;

namespace {

using ::testing::HasSubstr;

Guard Scaled(LossScale rule) {
  return {.max_norm = 1, .max_consecutive_skips = 2, .loss_scale = rule};
}

FlatWorld MakeWorldLossScale(const Guard& guard) {
  return FlatWorld(MakeLayout({{5}}), Chain(guard, Adam(Constant{0.1})));
}

// One step whose gradient is multiplied by the scale, as the plan does it.
Status Step(FlatWorld& w, Verdict* v, float bad = 0, double loss = 1) {
  const double scale =
      w.guard_state().loss_scale.Scale(w.optimizer().guard().loss_scale);
  for (int i = 0; i < 5; ++i) {
    const double g = std::cos(i + w.guard_state().attempted);
    w.grads()[i] = static_cast<float>(scale * static_cast<float>(g));
  }
  if (bad != 0) w.grads()[2] = bad;
  return w.Step(loss, v);
}

TEST(LossScaleTest, ChangesNothingButTheRange) {
  FlatWorld plain = MakeWorldLossScale(Scaled({}));
  FlatWorld scaled = MakeWorldLossScale(Scaled({.initial = 1024}));
  Verdict a, b;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Step(plain, &a).ok());
    ASSERT_TRUE(Step(scaled, &b).ok());
    EXPECT_EQ(a.norm, b.norm);
    EXPECT_EQ(b.loss_scale, 1024);
  }
  EXPECT_EQ(plain.params(), scaled.params());  // powers of two round nothing
  EXPECT_EQ(plain.state(1), scaled.state(1));
}

TEST(LossScaleTest, BacksOffAndGrows) {
  FlatWorld w =
      MakeWorldLossScale(Scaled({.initial = 64, .growth_interval = 3}));
  const auto scale = [&] { return w.guard_state().loss_scale.scale; };
  Verdict v;
  // More overflows in a row than skips are tolerated: they are not counted.
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Step(w, &v, kInf).ok()) << i;
  EXPECT_TRUE(v.overflow);
  EXPECT_EQ(v.action, Action::kSkip);
  EXPECT_THAT(v.Describe(w.layout()), HasSubstr("overflow at loss scale 8"));
  EXPECT_EQ(scale(), 4);
  EXPECT_EQ(w.guard_state().loss_scale.backoffs, 4);
  EXPECT_EQ(w.guard_state().skipped, 4);
  EXPECT_EQ(w.guard_state().consecutive_skips, 0);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Step(w, &v).ok());
  EXPECT_EQ(scale(), 4);
  ASSERT_TRUE(Step(w, &v).ok());
  EXPECT_EQ(scale(), 8);
  ASSERT_TRUE(Step(w, &v, kInf).ok());
  EXPECT_EQ(scale(), 4);
}

TEST(LossScaleTest, TheFloorIsAnError) {
  FlatWorld w = MakeWorldLossScale(Scaled({.initial = 4, .floor = 1}));
  Verdict v;
  EXPECT_TRUE(Step(w, &v, kInf).ok());
  EXPECT_TRUE(Step(w, &v, kInf).ok());
  EXPECT_EQ(w.guard_state().loss_scale.scale, 1);
  const Status status = Step(w, &v, kInf);
  EXPECT_EQ(KindOf(status), ErrorKind::kGuard);
  EXPECT_THAT(Message(status), HasSubstr("its floor"));
  EXPECT_EQ(w.guard_state().applied, 0);
}

TEST(LossScaleTest, ABadLossIsNotTheScalesFault) {
  FlatWorld w = MakeWorldLossScale(Scaled({.initial = 64}));
  Verdict v;
  ASSERT_TRUE(Step(w, &v, kInf, kNan).ok());
  EXPECT_FALSE(v.overflow);
  EXPECT_EQ(v.action, Action::kSkip);
  EXPECT_EQ(
      w.guard_state().loss_scale.Scale(Scaled({.initial = 64}).loss_scale), 64);
  EXPECT_EQ(w.guard_state().consecutive_skips, 1);
}

TEST(LossScaleTest, NeverGrowsAboveItsCeilingOrWithoutAnInterval) {
  const LossScale rule{.initial = 4, .growth_interval = 1, .ceiling = 8};
  LossScaleState state;
  for (int i = 0; i < 5; ++i) state.AfterApplied(rule);
  EXPECT_EQ(state.scale, 8);
  const LossScale still{.initial = 4, .growth_interval = 0};
  LossScaleState fixed;
  for (int i = 0; i < 5; ++i) fixed.AfterApplied(still);
  EXPECT_EQ(fixed.scale, 4);
}

TEST(LossScaleTest, RefusesBadOptions) {
  const auto ok = [](const LossScale& rule) { return rule.Validate().ok(); };
  EXPECT_TRUE(ok({}));
  EXPECT_TRUE(ok({.initial = 65536}));
  EXPECT_FALSE(ok({.initial = -1}));
  EXPECT_FALSE(ok({.initial = kInf}));
  EXPECT_FALSE(ok({.initial = kNan}));
  EXPECT_FALSE(ok({.initial = 8, .growth = 1}));
  EXPECT_FALSE(ok({.initial = 8, .backoff = 1}));
  EXPECT_FALSE(ok({.initial = 8, .backoff = 0}));
  EXPECT_FALSE(ok({.initial = 8, .growth_interval = -1}));
  EXPECT_FALSE(ok({.initial = 8, .floor = 16}));
  EXPECT_FALSE(ok({.initial = 8, .floor = 0}));
}

}  // namespace
}  // namespace gyre::optim
