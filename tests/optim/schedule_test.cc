#include "gyre/optim/schedule.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/chain.h"
#include "gyre/optim/lion.h"
#include "gyre/optim/rmsprop.h"
#include "gyre/optim/sgd.h"

namespace gyre::optim {

using namespace internal;

namespace {

using ::testing::HasSubstr;

TEST(ScheduleTest, LinearEndsFlat) {
  const Linear s{.from = 1, .to = 3, .steps = 4};
  EXPECT_EQ(s(0), 1);
  EXPECT_EQ(s(1), 1.5);
  EXPECT_EQ(s(4), 3);
  EXPECT_EQ(s(1'000'000'000'000), 3);
}

TEST(ScheduleTest, WarmupCosineHitsItsCorners) {
  const WarmupCosine s{
      .peak = 2, .warmup = 10, .total = 30, .start = 0, .end = 0.5};
  EXPECT_EQ(s(0), 0);
  EXPECT_EQ(s(5), 1);
  EXPECT_EQ(s(10), 2);
  EXPECT_NEAR(s(20), 1.25, 1e-12);
  EXPECT_EQ(s(30), 0.5);
  EXPECT_EQ(s(31), 0.5);
}

// A first step of rate 0 is counted, moves nothing and is lost.
TEST(ScheduleTest, TheFirstStepOfAWarmupMoves) {
  const WarmupCosine cosine{.peak = 1e-2, .warmup = 4, .total = 10};
  const WarmupStableDecay stable{
      .peak = 1e-2, .warmup = 4, .decay_from = 8, .total = 10};
  for (int step = 0; step < 4; ++step) {
    EXPECT_DOUBLE_EQ(cosine(step), 2.5e-3 * (step + 1));
    EXPECT_DOUBLE_EQ(stable(step), 2.5e-3 * (step + 1));
  }
  EXPECT_DOUBLE_EQ(cosine(4), 1e-2);
  EXPECT_DOUBLE_EQ(stable(4), 1e-2);
  EXPECT_GT(cosine(9), 0);
  EXPECT_GT(stable(9), 0);
  const auto opt = Chain(Guard{}, Adam(cosine));
  EXPECT_DOUBLE_EQ(opt.LearningRate(0), 2.5e-3);
}

TEST(ScheduleTest, WithoutWarmupBeginsAtThePeak) {
  const WarmupCosine s{.peak = 2, .warmup = 0, .total = 4};
  EXPECT_EQ(s(0), 2);
  EXPECT_NEAR(s(2), 1, 1e-12);
}

TEST(ScheduleTest, RefusesBadOptions) {
  const auto error = [](const auto& schedule) {
    return Message(ScaleByLearningRate{schedule}.Validate());
  };
  EXPECT_THAT(error(WarmupCosine{.warmup = 5, .total = 5}), HasSubstr("total"));
  EXPECT_THAT(error(WarmupCosine{.warmup = -1}), HasSubstr("warmup"));
  EXPECT_THAT(error(Linear{.steps = 0}), HasSubstr("steps"));
  EXPECT_THAT(error(Constant{std::numeric_limits<double>::infinity()}),
              HasSubstr("finite"));
  EXPECT_EQ(error(Constant{0}), "");
}

TEST(ScheduleTest, AUsersFunctionIsASchedule) {
  const auto opt = Chain(Guard{}, ScaleByLearningRate{[](std::int64_t step) {
                           return 1.0 / (1 + step);
                         }});
  EXPECT_EQ(opt.LearningRate(0), 1);
  EXPECT_EQ(opt.LearningRate(3), 0.25);
  EXPECT_TRUE(opt.Validate().ok());
  // Two functions differ in the fingerprint when their values do.
  const auto other = Chain(Guard{}, ScaleByLearningRate{[](std::int64_t step) {
                             return 2.0 / (1 + step);
                           }});
  EXPECT_NE(opt.Describe(), other.Describe());
}

TEST(ScheduleTest, ANumberIsAConstant) {
  const Schedule number = 1e-3;
  EXPECT_EQ(number(0), 1e-3);
  EXPECT_EQ(number(1'000'000), 1e-3);
  EXPECT_EQ(number.Describe(), "constant(0.001)");
  EXPECT_EQ(number.Describe(), Schedule(Constant{1e-3}).Describe());
  EXPECT_EQ(Schedule(1).Describe(), "constant(1)");
}

TEST(ScheduleTest, KeepsWhatAFunctionSaysOfItself) {
  const Schedule line = Linear{.from = 1, .to = 3, .steps = 4};
  EXPECT_EQ(line(1), 1.5);
  EXPECT_EQ(line.Describe(), "linear(1 to 3 in 4)");
  EXPECT_THAT(Message(Schedule(Linear{.steps = 0}).Validate()),
              HasSubstr("steps"));
  const Schedule copy = line;
  EXPECT_EQ(copy.Describe(), line.Describe());
  const Schedule own = [](std::int64_t step) { return 0.5 * step; };
  EXPECT_EQ(own.Describe(), "custom(0, 0.5, 500)");
}

// The texts are in the fingerprints of runs: they must not change.
TEST(ScheduleTest, FactoriesTakeANumberOrASchedule) {
  const auto text = [](const auto& stages) {
    const std::string all = Chain(Guard{}, stages).Describe();
    return all.substr(all.find(" | ") + 3);
  };
  const std::string rate = "scale_by_learning_rate(constant(0.1))";
  EXPECT_EQ(text(Sgd(0.1)), rate);
  EXPECT_EQ(text(Momentum(0.1)), "sgd(momentum=0.9) | " + rate);
  EXPECT_EQ(text(Nesterov(0.1, {.momentum = 0.5})),
            "sgd(momentum=0.5, nesterov) | " + rate);
  EXPECT_EQ(text(RmsProp(0.1)), "scale_by_rms(decay=0.9, eps=1e-08) | " + rate);
  EXPECT_EQ(text(Lion(0.1, {.weight_decay = 1})),
            "scale_by_lion(b1=0.9, b2=0.99) | "
            "add_decayed_weights(rate=1, where=not_bias_or_norm) | " +
                rate);
  EXPECT_EQ(text(Adam(0.1)),
            "scale_by_adam(b1=0.9, b2=0.999, eps=1e-08) | " + rate);
  EXPECT_EQ(text(Adam(Linear{.to = 0.5, .steps = 2})),
            "scale_by_adam(b1=0.9, b2=0.999, eps=1e-08) | "
            "scale_by_learning_rate(linear(0 to 0.5 in 2))");
}

TEST(ScheduleTest, LearningRateIsTheProductOfTheScales) {
  const auto opt =
      Chain(Guard{}, ScaleBySchedule{Linear{.to = 1, .steps = 4}}, Scale{-0.5});
  EXPECT_EQ(opt.LearningRate(2), 0.25);
}

TEST(NumberTest, IsTheShortestThatReadsBack) {
  EXPECT_EQ(Number(0.1), "0.1");
  EXPECT_EQ(Number(-1), "-1");
  EXPECT_EQ(Number(0.1f), "0.10000000149011612");
}

}  // namespace
}  // namespace gyre::optim
