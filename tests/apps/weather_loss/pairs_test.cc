#include "apps/weather_loss/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/weather_loss/small_fields.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Fields Ones(std::int64_t steps) {
  return SmallFields(
      steps, 2, [](std::int64_t, int, std::int64_t) { return 1.0f; });
}

TEST(SplitPairs, NoPairSpansTheTwoParts) {
  const PairSplit split = SplitPairs(Ones(7), 4);
  EXPECT_THAT(split.train, ElementsAre(0, 1, 2));
  EXPECT_THAT(split.test, ElementsAre(4, 5));
}

TEST(SplitPairs, AMissingFieldTakesBothItsPairs) {
  Fields fields = Ones(7);
  RemoveField(&fields, 1, kV);
  RemoveField(&fields, 5, kT);
  const PairSplit split = SplitPairs(fields, 4);
  EXPECT_THAT(split.train, ElementsAre(2));
  EXPECT_THAT(split.test, IsEmpty());
}

TEST(SplitPairs, AMissingCornerTakesNone) {
  Fields fields = Ones(3);
  for (std::int64_t t = 0; t < 3; ++t) Remove(&fields, t, kP, 0);
  EXPECT_THAT(SplitPairs(fields, 3).train, ElementsAre(0, 1));
}

TEST(SplitPairs, TheWholeMayBeOnePart) {
  EXPECT_THAT(SplitPairs(Ones(3), 99).test, IsEmpty());
  EXPECT_THAT(SplitPairs(Ones(3), 0).train, IsEmpty());
  EXPECT_THAT(SplitPairs(Ones(1), 1).train, IsEmpty());
}

TEST(SampleName, SaysStepAndTime) {
  const Fields fields = Ones(3);
  EXPECT_EQ(SampleName(fields, 2), "t=002 (1970-01-01T12Z)");
  EXPECT_EQ(SampleName(fields, 1234), "t=1234");
}

}  // namespace
}  // namespace gyre::weather
