#include "gyre/monitor/spikes/tail.h"

#include <gtest/gtest.h>

#include <random>

namespace gyre::internal::inline tests {
namespace {

TEST(Tail, KnowsTheQuantilesOfItsData) {
  Tail tail;
  for (int i = 1; i <= 1000; ++i) tail.Add(i * 0.01);
  EXPECT_NEAR(tail.Quantile(0.1), 9, 0.6);
  EXPECT_NEAR(tail.Quantile(0.5), 5, 0.4);
}

TEST(Tail, SaysNothingWhileItHasSeenNothing) {
  Tail tail;
  EXPECT_EQ(tail.Quantile(1e-6), 0);
  tail.Add(1);
  EXPECT_EQ(tail.Quantile(0.5), 0);
}

TEST(Tail, ReachesFartherForAHeavyTail) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> student(3);
  Tail light;
  Tail heavy;
  for (int i = 0; i < 50'000; ++i) {
    light.Add(normal(random));
    heavy.Add(student(random));
  }
  // The true ones are 4.8 and 103.
  EXPECT_GT(light.Quantile(1e-6), 4);
  EXPECT_LT(light.Quantile(1e-6), 8);
  EXPECT_GT(heavy.Quantile(1e-6), 40);
  EXPECT_LT(heavy.Quantile(1e-6), 300);
}

TEST(Tail, ComesBackFromItsState) {
  Tail tail;
  for (int i = 0; i < 500; ++i) tail.Add(i % 37);
  Tail back;
  ASSERT_TRUE(back.Restore(tail.ToJson()).ok());
  EXPECT_EQ(back.Quantile(1e-6), tail.Quantile(1e-6));
  EXPECT_FALSE(back.Restore(Json::Object()).ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests
