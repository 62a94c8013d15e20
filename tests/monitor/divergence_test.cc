#include "gyre/monitor/divergence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Divergence, AThousandTimesTheFirstStepsIsSaidOnce) {
  Divergence d;
  for (int s = 0; s < 8; ++s) {
    EXPECT_THAT(d.Observe({.step = s, .loss = 2, .norm = 0.5}), IsEmpty());
  }
  EXPECT_THAT(d.Observe({.step = 8, .loss = 1999, .norm = 499}), IsEmpty());
  EXPECT_THAT(d.Observe({.step = 9, .loss = -2001, .norm = 0.5}),
              ElementsAre(HasSubstr("the loss is -2001 in step 9")));
  EXPECT_THAT(d.Observe({.step = 10, .loss = 1e9, .norm = 501}),
              ElementsAre(HasSubstr("the gradient's norm is 501")));
  EXPECT_THAT(d.Observe({.step = 11, .loss = 1e9, .norm = 1e9}), IsEmpty());
}

TEST(Divergence, ABadNumberOrAZeroIsNoMeasure) {
  Divergence d;
  for (int s = 0; s < 9; ++s) {
    EXPECT_THAT(d.Observe({.step = s, .loss = std::nan(""), .norm = 0}),
                IsEmpty());
  }
  // The loss has its first steps still before it; the norm's were all 0.
  EXPECT_THAT(d.Observe({.step = 9, .loss = 1, .norm = 1e9}), IsEmpty());
}

TEST(Divergence, AClipInNearlyEveryStepIsSaidOnce) {
  Divergence d;
  int told = 0;
  for (int s = 0; s < 300; ++s) {
    // Every tenth is free for a while, then every thirtieth.
    const bool clipped = s % (s < 100 ? 10 : 30) != 0;
    const auto texts =
        d.Observe({.step = s, .loss = 1, .norm = 1, .clipped = clipped});
    if (texts.empty()) continue;
    ++told;
    EXPECT_GE(s, 100);
    EXPECT_THAT(texts, ElementsAre(HasSubstr("clipped in 48 of the last 50")));
  }
  EXPECT_EQ(told, 1);
}

TEST(Divergence, GoesOnOverAResume) {
  Divergence d;
  for (int s = 0; s < 6; ++s) d.Observe({.step = s, .loss = 1, .norm = 1});
  d.Observe({.step = 6, .loss = 2000, .norm = 1});
  Divergence back;
  ASSERT_TRUE(back.Restore(d.ToJson()).ok());
  EXPECT_THAT(back.Observe({.step = 7, .loss = 2000, .norm = 1}), IsEmpty());
  EXPECT_THAT(back.Observe({.step = 8, .loss = 1, .norm = 2000}),
              ElementsAre(HasSubstr("norm")));
  EXPECT_FALSE(back.Restore(Json::Object()).ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests
