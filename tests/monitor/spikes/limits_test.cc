#include "gyre/monitor/spikes/limits.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gyre::internal::inline tests {
namespace {

TEST(Limits, StatisticsAreWhatSoManyStepsExceed) {
  std::deque<double> z(16, 0.0);
  z[15] = 9;
  z[14] = 5;
  z[13] = 3;
  const Limits::Values values = Limits::Of(z);
  EXPECT_EQ(values[0], 9);  // of the last step
  EXPECT_EQ(values[1], 5);  // both of the last two
  EXPECT_EQ(values[2], 3);  // three of the last four
  EXPECT_EQ(values[3], 0);
}

TEST(Limits, TooFewStepsSayNothing) {
  const Limits::Values values = Limits::Of({7.0});
  EXPECT_EQ(values[0], 7);
  EXPECT_TRUE(std::isinf(values[4]));
  EXPECT_FALSE(Limits().Exceeded(values));
}

TEST(Limits, SeveralTogetherNeedLess) {
  const Limits limits;
  for (int i = 1; i < Limits::kStatistics; ++i) {
    EXPECT_LT(limits.limit(i), limits.limit(i - 1));
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
