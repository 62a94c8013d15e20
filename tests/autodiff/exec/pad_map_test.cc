#include "gyre/autodiff/exec/pad_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;

TEST(PadMap, NamesTheSourceOfEachElement) {
  EXPECT_THAT(PadMap({2, 2, PadMode::kZero}, 3),
              ElementsAre(-1, -1, 0, 1, 2, -1, -1));
  EXPECT_THAT(PadMap({2, 2, PadMode::kCircular}, 3),
              ElementsAre(1, 2, 0, 1, 2, 0, 1));
  EXPECT_THAT(PadMap({2, 2, PadMode::kReflect}, 3),
              ElementsAre(2, 1, 0, 1, 2, 1, 0));
  EXPECT_THAT(PadMap({2, 2, PadMode::kReplicate}, 3),
              ElementsAre(0, 0, 0, 1, 2, 2, 2));
  EXPECT_THAT(PadMap({}, 2), ElementsAre(0, 1));
}

TEST(PadMap, ChecksWhatAModeCanFill) {
  EXPECT_TRUE(CheckPadding({9, 9, PadMode::kZero}, 0).ok());
  EXPECT_TRUE(CheckPadding({3, 3, PadMode::kCircular}, 3).ok());
  EXPECT_FALSE(CheckPadding({4, 0, PadMode::kCircular}, 3).ok());
  EXPECT_TRUE(CheckPadding({2, 2, PadMode::kReflect}, 3).ok());
  EXPECT_FALSE(CheckPadding({0, 3, PadMode::kReflect}, 3).ok());
  EXPECT_TRUE(CheckPadding({9, 9, PadMode::kReplicate}, 1).ok());
  EXPECT_FALSE(CheckPadding({1, 0, PadMode::kReplicate}, 0).ok());
  EXPECT_FALSE(CheckPadding({0, -1, PadMode::kZero}, 3).ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests
