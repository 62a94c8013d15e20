#include "gyre/monitor/spikes/robust.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

TEST(Robust, MedianOfOddEvenAndNone) {
  EXPECT_EQ(MedianOf({3, 900, 1}), 3);
  EXPECT_EQ(MedianOf({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(MedianOf({}), 0);
}

TEST(Robust, MadIsNotMovedByOneOutlier) {
  EXPECT_EQ(MadOf({1, 2, 3, 4, 1e9}, 3), 1);
  EXPECT_EQ(MadOf({7, 7, 7}, 7), 0);
}

}  // namespace
}  // namespace gyre::internal::inline tests
