#include "gyre/optim/schedule.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "gyre/optim/chain.h"

namespace gyre::optim {
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
  const WarmupCosine s{.peak = 2, .warmup = 10, .total = 30, .end = 0.5};
  EXPECT_EQ(s(0), 0);
  EXPECT_EQ(s(5), 1);
  EXPECT_EQ(s(10), 2);
  EXPECT_NEAR(s(20), 1.25, 1e-12);
  EXPECT_EQ(s(30), 0.5);
  EXPECT_EQ(s(31), 0.5);
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
