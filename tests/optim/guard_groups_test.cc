// Policies by group of tensors, the skip budget of a window, other norms.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "gyre/optim/adam.h"
#include "tests/optim/flat_world.h"
#include "tests/support/special_numbers.h"

namespace gyre::optim {

using namespace internal;

namespace {

using ::testing::HasSubstr;

bool First(const TensorSlot& t) { return t.name == "t0"; }
bool Second(const TensorSlot& t) { return t.name == "t1"; }

FlatWorld MakeWorldGuardGroups(Guard guard) {
  FlatWorld w(MakeLayout({{4}, {2}, {3}}),
              Chain(guard, ScaleByLearningRate{Constant{1}}));
  for (const int i : {0, 1, 2, 3, 16, 17, 32, 33, 34}) w.grads()[i] = 1;
  return w;
}

TEST(GuardGroupsTest, EachTensorFollowsItsPolicy) {
  const Guard guard{.groups = {GroupPolicy{First, Policy::kZero},
                               GroupPolicy{Second, Policy::kHalt}}};
  Verdict v;
  FlatWorld zero = MakeWorldGuardGroups(guard);
  zero.grads()[1] = kNan;
  EXPECT_TRUE(zero.Step(1, &v).ok());
  EXPECT_TRUE(v.applies());
  EXPECT_EQ(v.reasons, kReasonGradient);
  EXPECT_EQ(zero.params()[1], 0);
  EXPECT_EQ(zero.params()[2], -1);

  FlatWorld halt = MakeWorldGuardGroups(guard);
  halt.grads()[16] = kInf;
  EXPECT_EQ(KindOf(halt.Step(1, &v)), ErrorKind::kGuard);
  EXPECT_EQ(v.action, Action::kHalt);

  FlatWorld skip = MakeWorldGuardGroups(guard);
  skip.grads()[33] = kInf;
  EXPECT_TRUE(skip.Step(1, &v).ok());
  EXPECT_EQ(v.action, Action::kSkip);
}

TEST(GuardGroupsTest, TheStricterOfTwoWins) {
  FlatWorld w =
      MakeWorldGuardGroups({.groups = {GroupPolicy{First, Policy::kZero}}});
  w.grads()[1] = kNan;
  w.grads()[33] = kNan;
  Verdict v;
  EXPECT_TRUE(w.Step(1, &v).ok());
  EXPECT_EQ(v.action, Action::kSkip);
  EXPECT_EQ(w.params()[0], 0);
}

TEST(GuardGroupsTest, ABadLossFollowsTheRun) {
  FlatWorld w = MakeWorldGuardGroups(
      {.groups = {GroupPolicy{AllTensors, Policy::kZero}}});
  w.grads()[1] = kNan;
  Verdict v;
  EXPECT_TRUE(w.Step(kNan, &v).ok());
  EXPECT_EQ(v.action, Action::kSkip);
}

TEST(GuardGroupsTest, AGroupMayDropItsRank) {
  const Guard guard{.groups = {GroupPolicy{First, Policy::kDropRank}}};
  const FlatLayout layout = MakeLayout({{4}, {2}});
  FlatArray grads(layout);
  for (int i = 0; i < 4; ++i) grads[i] = 1;
  grads[16] = 5;
  grads[2] = kNan;
  const LocalFindings found = ScanLocal(layout, grads.data(), 1);
  Contain(guard, layout, found, grads.data());
  EXPECT_EQ(grads[16], 0);
  const Note notes[] = {Note{}, found.ToNote(guard, layout)};
  const Verdict v = Judge(std::span<const Note>(notes), 3, {}, guard);
  EXPECT_TRUE(v.applies());
  EXPECT_EQ(v.rescale, 2);
  EXPECT_EQ(v.norm, 6);
}

TEST(GuardGroupsTest, ObserveIsNotForAGroup) {
  EXPECT_THAT(
      Message(
          Guard{.groups = {GroupPolicy{First, Policy::kObserve}}}.Validate()),
      HasSubstr("for a whole run"));
}

TEST(GuardGroupsTest, SaysWhatIsNotAsUsual) {
  EXPECT_EQ((Guard{.norm = NormKind::kMax,
                   .groups = {GroupPolicy{NotBiasOrNorm, Policy::kZero}}}
                 .Describe()),
            "guard(policy=skip, max_norm=inf, max_consecutive_skips=10, "
            "norm=max, group(not_bias_or_norm, zero))");
}

// Every second step is bad: never two in a row, and still too many.
TEST(SkipWindowTest, CountsSkipsThatAreNotInARow) {
  FlatWorld w =
      MakeWorldGuardGroups({.max_skip_fraction = 0.2, .skip_window = 20});
  Verdict v;
  int step = 0;
  Status status;
  for (; step < 100 && status.ok(); ++step) {
    w.grads()[0] = step % 2 == 0 ? kNan : 1;
    status = w.Step(1, &v);
  }
  EXPECT_EQ(step, 9);  // skips 0, 2, 4, 6 are tolerated; 8 is the fifth
  EXPECT_THAT(Message(status), HasSubstr("5 of the last 20 steps"));
  EXPECT_FALSE(w.Step(1, &v).ok());
  EXPECT_EQ(v.action, Action::kHalt);
}

TEST(SkipWindowTest, OldSkipsAreForgotten) {
  FlatWorld w =
      MakeWorldGuardGroups({.max_skip_fraction = 0.2, .skip_window = 20});
  Verdict v;
  for (int step = 0; step < 400; ++step) {
    w.grads()[0] = step % 5 == 0 ? kNan : 1;  // 4 of any 20
    ASSERT_TRUE(w.Step(1, &v).ok()) << step;
  }
  EXPECT_LE(w.guard_state().recent_skips.size(), 4u);
}

TEST(SkipWindowTest, RefusesBadOptions) {
  EXPECT_FALSE(Guard{.max_skip_fraction = 1.5}.Validate().ok());
  EXPECT_FALSE(Guard{.max_skip_fraction = kNan}.Validate().ok());
  EXPECT_FALSE(Guard{.skip_window = 0}.Validate().ok());
}

TEST(MaxNormTest, ClipsByTheLargestMagnitude) {
  FlatWorld w = MakeWorldGuardGroups({.max_norm = 2, .norm = NormKind::kMax});
  w.grads()[2] = -8;
  Verdict v;
  EXPECT_TRUE(w.Step(1, &v).ok());
  EXPECT_EQ(v.norm, 8);
  EXPECT_EQ(w.params()[2], 2);
  EXPECT_EQ(w.params()[0], -0.25);
}

TEST(MaxNormTest, IsNotFiniteExactlyWhenAnElementIsNot) {
  for (const float bad : {kNan, -kNan, kInf, -kInf}) {
    const float x[] = {1, bad, 3};
    EXPECT_FALSE(IsFinite(GlobalNorm(NormKind::kMax, x, 3)));
  }
  const float huge[] = {1, -3.4e38f};
  EXPECT_EQ(GlobalNorm(NormKind::kMax, huge, 2), 3.4e38f);
  EXPECT_EQ(GlobalNorm(NormKind::kMax, huge, 0), 0);
}

}  // namespace
}  // namespace gyre::optim
