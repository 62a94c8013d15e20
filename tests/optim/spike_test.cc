#include "gyre/optim/spike.h"

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

constexpr SpikeRule kRule{
    .action = SpikeAction::kSkip, .factor = 8, .window = 128, .warmup = 32};

// Between 0.9 and 1.1, never twice the same.
double Healthy(int i) { return 1 + 0.1 * std::sin(0.7 * i); }

TEST(NormHistoryTest, IsSilentUntilItHasSeenEnough) {
  NormHistory h;
  for (int i = 0; i < 31; ++i) h.Add(Healthy(i), kRule);
  EXPECT_EQ(h.Limit(kRule), kInf);
  h.Add(1, kRule);
  EXPECT_GT(h.Limit(kRule), 1.5);
  EXPECT_LT(h.Limit(kRule), 3);
}

TEST(NormHistoryTest, IsTheMedianAndItsDeviation) {
  const SpikeRule rule{.action = SpikeAction::kSkip,
                       .factor = 2,
                       .window = 5,
                       .warmup = 2,
                       .least_deviation = 0};
  NormHistory h;
  for (const double x : {100.0, 1.0, 2.0, 4.0, 8.0, 16.0}) h.Add(x, rule);
  // 1, 2, 4, 8, 16: the 100 was overwritten. Distances 3, 2, 0, 4, 12.
  EXPECT_DOUBLE_EQ(h.Limit(rule), 4 + 2 * 1.4826 * 3);
  NormHistory even;
  for (const double x : {1.0, 3.0, 5.0, 9.0}) even.Add(x, rule);
  EXPECT_DOUBLE_EQ(even.Limit(rule), 4 + 2 * 1.4826 * 2);
}

TEST(NormHistoryTest, DoesNotTakeWhatIsNotFinite) {
  NormHistory h;
  for (int i = 0; i < 40; ++i) h.Add(Healthy(i), kRule);
  const NormHistory before = h;
  h.Add(kNan, kRule);
  h.Add(kInf, kRule);
  EXPECT_EQ(h, before);
}

TEST(NormHistoryTest, AConstantNormIsNoAlarm) {
  NormHistory h;
  for (int i = 0; i < 200; ++i) h.Add(1, kRule);
  EXPECT_GT(h.Limit(kRule), 1 + 1e-7);
}

TEST(NormHistoryTest, AShorterWindowKeepsTheNewest) {
  NormHistory h;
  for (int i = 0; i < 200; ++i) h.Add(i, kRule);
  SpikeRule shorter = kRule;
  shorter.window = 32;
  h.Add(200, shorter);
  EXPECT_EQ(h.norms().size(), 32u);
  for (const double norm : h.norms()) EXPECT_GE(norm, 168);
}

TEST(AbsurdRuleTest, IsFarAboveWhatBatchesMake) {
  const AbsurdRule rule;
  NormHistory h;
  EXPECT_EQ(h.Limit(rule, 0), rule.first_limit);
  for (int i = 0; i < 40; ++i) h.Add(0.02 * Healthy(i), kRule);
  EXPECT_NEAR(h.Limit(rule, 0), 20, 1);
  // A norm that rises by itself is followed: ten times the largest is allowed.
  h.Add(15, kRule);
  EXPECT_EQ(h.Limit(rule, 0), 150);
  // Batches without an event, whose norm is 0, and then one with it.
  NormHistory calm;
  for (int i = 0; i < 40; ++i) calm.Add(0, kRule);
  EXPECT_EQ(calm.Limit(rule, 0), rule.floor);
}

TEST(AbsurdRuleTest, GivesWayToWhatStaysButNotToWhatIsHopeless) {
  const AbsurdRule rule;
  NormHistory h;
  for (int i = 0; i < 40; ++i) h.Add(Healthy(i), kRule);
  EXPECT_NEAR(h.Limit(rule, rule.patience - 1), 1000, 100);
  EXPECT_NEAR(h.Limit(rule, rule.patience), 1e7, 1e6);
  EXPECT_EQ(h.Limit(AbsurdRule{.factor = 0}, 0), kInf);
}

TEST(AbsurdRuleTest, RefusesWhatCannotBe) {
  EXPECT_TRUE(AbsurdRule{}.Validate().ok());
  EXPECT_TRUE(AbsurdRule{.factor = 0}.Validate().ok());
  EXPECT_FALSE(AbsurdRule{.factor = 0.5}.Validate().ok());
  EXPECT_FALSE((Guard{.absurd = {.patience = 0}}.Validate().ok()));
}

TEST(NormHistoryTest, ComesBackFromAFile) {
  NormHistory h;
  for (int i = 0; i < 150; ++i) h.Add(Healthy(i), kRule);
  const auto back = NormHistory::From(h.norms(), h.next());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, h);
  EXPECT_FALSE(NormHistory::From({1, 2}, 2).ok());
  EXPECT_FALSE(NormHistory::From({1, kNan}, 0).ok());
}

TEST(SpikeRuleTest, RefusesBadOptions) {
  const auto error = [](const SpikeRule& r) { return Message(r.Validate()); };
  EXPECT_EQ(error({}), "");
  EXPECT_THAT(error({.factor = 0}), HasSubstr("factor"));
  EXPECT_THAT(error({.window = 3, .warmup = 4}), HasSubstr("warmup"));
  EXPECT_THAT(error({.warmup = 1}), HasSubstr("warmup"));
  EXPECT_THAT(error({.least_deviation = -1}), HasSubstr("least_deviation"));
}

class SpikeRun {
 public:
  explicit SpikeRun(Guard guard)
      : w(MakeLayout({{4}}),
          Chain(guard, ScaleByLearningRate{Constant{1e-3}})) {}

  // One step with a gradient of this norm.
  Verdict Step(double norm) {
    w.grads()[1] = static_cast<float>(norm);
    Verdict v;
    status = w.Step(1, &v);
    return v;
  }

  FlatWorld w;
  Status status;
};

TEST(SpikeTest, ANaNCostsOneStepAndBlindsNobody) {
  SpikeRun run({.spike = kRule});
  int skips = 0;
  for (int i = 0; i < 600; ++i) {
    const bool spike = i == 400;
    const Verdict v = run.Step(i == 200 ? kNan : spike ? 500 : Healthy(i));
    if (!v.applies()) ++skips;
    EXPECT_EQ((v.reasons & kReasonSpike) != 0, spike) << i;
  }
  EXPECT_EQ(skips, 2);
}

TEST(SpikeTest, ManySpikesDoNotBecomeTheRule) {
  SpikeRun run({.max_consecutive_skips = 100, .spike = kRule});
  for (int i = 0; i < 128; ++i) run.Step(Healthy(i));
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(run.Step(4).action, Action::kSkip) << i;
  }
  EXPECT_TRUE(run.Step(1).clean());
}

TEST(SpikeTest, ARiseForGoodEndsTheRunWithItsReason) {
  SpikeRun run({.max_consecutive_skips = 3, .spike = kRule});
  for (int i = 0; i < 64; ++i) run.Step(Healthy(i));
  for (int i = 0; i < 4; ++i) run.Step(50);
  EXPECT_EQ(KindOf(run.status), ErrorKind::kGuard);
  EXPECT_THAT(Message(run.status), HasSubstr("is a spike"));
}

TEST(SpikeTest, ClipScalesDownToTheLimit) {
  SpikeRule rule = kRule;
  rule.action = SpikeAction::kClip;
  SpikeRun run({.max_norm = 100, .spike = rule});
  for (int i = 0; i < 64; ++i) run.Step(Healthy(i));
  const float before = run.w.params()[1];
  const Verdict v = run.Step(80);
  EXPECT_TRUE(v.applies());
  EXPECT_EQ(v.reasons, kReasonSpike);
  EXPECT_DOUBLE_EQ(v.clip * 80, v.spike_limit);
  EXPECT_NEAR(before - run.w.params()[1], 1e-3 * v.spike_limit, 1e-6);
}

}  // namespace
}  // namespace gyre::optim
