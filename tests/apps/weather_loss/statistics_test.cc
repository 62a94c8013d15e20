#include "apps/weather_loss/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/apps/weather_loss/small_fields.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;

// Each step adds 2; each cell adds 1: 0 1 / 2 3, and so on.
Fields Rising() {
  return SmallFields(4, 1, [](std::int64_t t, int c, std::int64_t cell) {
    return static_cast<float>(c + 2 * t * (cell + 1) + cell);
  });
}

TEST(Statistics, AreThoseOfTheTrainingStepsAlone) {
  // Two cells. Step 0: 0, 1; step 1: 2, 5; step 2: 4, 9. Tendencies 2, 4.
  const StatusOr<Statistics> s = ComputeStatistics(Rising(), 3);
  ASSERT_TRUE(s.ok()) << s.status();
  const ChannelStatistics& p = s->channels[kP];
  EXPECT_EQ(p.count, 6);
  EXPECT_EQ(p.tendency_count, 4);
  EXPECT_DOUBLE_EQ(p.mean, 21.0 / 6);
  EXPECT_DOUBLE_EQ(p.std, std::sqrt(127.0 / 6 - 3.5 * 3.5));
  EXPECT_DOUBLE_EQ(p.std_tendency, 1.0);
  EXPECT_EQ(p.min, 0);
  EXPECT_EQ(p.max, 9);
  EXPECT_DOUBLE_EQ(s->channels[kT].mean, 21.0 / 6 + 1);
}

TEST(Statistics, MissingCellsDoNotCount) {
  Fields fields = Rising();
  Remove(&fields, 1, kP, 1);
  const StatusOr<Statistics> s = ComputeStatistics(fields, 3);
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->channels[kP].count, 5);
  EXPECT_EQ(s->channels[kP].tendency_count, 2);
  EXPECT_DOUBLE_EQ(s->channels[kP].mean, 16.0 / 5);
  EXPECT_EQ(s->channels[kT].count, 6);
}

TEST(Statistics, AConstantChannelIsScaledByOneAndNamed) {
  Fields fields = SmallFields(3, 2, [](std::int64_t t, int c, std::int64_t i) {
    return c == kT ? 273.15f : static_cast<float>(c + t * i);
  });
  const StatusOr<Statistics> s = ComputeStatistics(fields, 3);
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->channels[kT].std, 1);
  EXPECT_EQ(s->channels[kT].std_tendency, 1);
  EXPECT_NEAR(s->channels[kT].mean, 273.15, 1e-4);
  ASSERT_EQ(s->warnings.size(), 2u);
  EXPECT_THAT(s->warnings[0], HasSubstr("channel t is constant"));
  EXPECT_NE(s->channels[kU].std, 1);
}

TEST(Statistics, RoundingIsNoSpread) {
  const Fields fields =
      SmallFields(3, 2, [](std::int64_t t, int c, std::int64_t i) {
        return c == kP ? 101325.0f + 0.0078125f * ((t + i) % 2)
                       : static_cast<float>(c + t * i);
      });
  const StatusOr<Statistics> s = ComputeStatistics(fields, 3);
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->channels[kP].std, 1);
  EXPECT_THAT(s->warnings, testing::Contains(HasSubstr("channel p")));
}

TEST(Statistics, AllZeroIsConstantToo) {
  const Fields fields =
      SmallFields(2, 1, [](std::int64_t, int, std::int64_t) { return 0.0f; });
  const StatusOr<Statistics> s = ComputeStatistics(fields, 2);
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->channels[kP].std, 1);
  EXPECT_EQ(s->warnings.size(), 12u);
}

TEST(Statistics, AChannelWithoutValuesIsAnError) {
  Fields fields = Rising();
  for (std::int64_t t = 0; t < 3; ++t) RemoveField(&fields, t, kV);
  const Status status = ComputeStatistics(fields, 3).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kData);
  EXPECT_THAT(Message(status), HasSubstr("channel v has no valid value"));
}

TEST(Statistics, TooFewStepsAreAnError) {
  EXPECT_FALSE(ComputeStatistics(Rising(), 5).ok());
  EXPECT_FALSE(ComputeStatistics(Rising(), 1).ok());
}

TEST(Statistics, GoIntoTheRunDirectory) {
  const StatusOr<Statistics> s = ComputeStatistics(Rising(), 3);
  ASSERT_TRUE(s.ok());
  const Json json = ToJson(*s);
  EXPECT_EQ(*json.GetInt("train_steps"), 3);
  const Json* p = json.Find("channels")->Find("p");
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(*p->GetString("unit"), "Pa");
  EXPECT_EQ(*p->GetDouble("mean"), 3.5);
  EXPECT_EQ(*p->GetInt("count"), 6);
}

}  // namespace
}  // namespace gyre::weather
