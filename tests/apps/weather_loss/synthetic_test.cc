#include "apps/weather_loss/synthetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "apps/weather_loss/batch.h"
#include "apps/weather_loss/pairs.h"
#include "apps/weather_loss/statistics.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::ElementsAre;

TEST(Synthetic, HasTheShapeAndTheGapsOfTheStormData) {
  const Fields fields = SyntheticFields(0);
  EXPECT_EQ(fields.values.shape(), Shape({64, 6, 33, 36}));
  EXPECT_EQ(fields.times.size(), 64u);
  EXPECT_THAT(
      MissingFields(fields),
      ElementsAre(
          "t at step 17", "v at step 17", "v500 at step 36", "v at step 37"));
  const auto mask = fields.Mask(5, kT);
  EXPECT_EQ(std::count(mask.begin(), mask.end(), 0), 224);
  const PairSplit split = SplitPairs(fields, kTrainSteps);
  EXPECT_EQ(split.train.size(), 42u);
  EXPECT_EQ(split.test.size(), 15u);
}

TEST(Synthetic, IsAFunctionOfTheSeed) {
  EXPECT_EQ(DataHash(SyntheticFields(7)), DataHash(SyntheticFields(7)));
  EXPECT_NE(DataHash(SyntheticFields(7)), DataHash(SyntheticFields(8)));
}

TEST(Synthetic, ALongerSeriesBeginsAlikeAndTrainsOnMore) {
  const Fields usual = SyntheticFields(7);
  const Fields longer = SyntheticFields(7, 160);
  EXPECT_EQ(longer.values.shape(), Shape({160, 6, 33, 36}));
  const auto values = usual.values.data<float>();
  EXPECT_TRUE(std::equal(
      values.begin(), values.end(), longer.values.data<float>().begin()));
  EXPECT_EQ(TrainSteps(usual), kTrainSteps);
  EXPECT_EQ(TrainSteps(longer), 144);
  const PairSplit split = SplitPairs(longer, TrainSteps(longer));
  EXPECT_EQ(split.train.size(), 138u);
  EXPECT_EQ(split.test.size(), 15u);
  // There is weather at the end as well.
  const auto p = longer.Values(159, kP);
  const auto [low, high] = std::minmax_element(p.begin() + 18, p.begin() + 36);
  EXPECT_GT(*high - *low, 100);
}

TEST(Synthetic, MissingCellsAreZero) {
  const Fields fields = SyntheticFields(1);
  const auto values = fields.values.data<float>();
  const auto mask = fields.mask.data<std::uint8_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (mask[i] == 0) {
      EXPECT_EQ(values[i], 0.0f);
    }
  }
}

TEST(Synthetic, ValuesAreThoseOfWeather) {
  for (const std::uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    const StatusOr<Statistics> s =
        ComputeStatistics(SyntheticFields(seed), kTrainSteps);
    ASSERT_TRUE(s.ok()) << s.status();
    EXPECT_TRUE(s->warnings.empty());
    EXPECT_GT(s->channels[kP].min, 94000);
    EXPECT_LT(s->channels[kP].max, 104500);
    EXPECT_GT(s->channels[kT].min, 220);
    EXPECT_LT(s->channels[kT].max, 325);
    for (const int c : {kU, kV, kU500, kV500}) {
      EXPECT_GT(s->channels[c].min, -80) << c;
      EXPECT_LT(s->channels[c].max, 80) << c;
      EXPECT_GT(s->channels[c].std, 2) << c;
    }
  }
}

// The deepest cell of a step: its depth in hPa and its column.
std::pair<double, std::int64_t> Deepest(const Fields& fields, std::int64_t t) {
  double depth = -1e9;
  std::int64_t column = -1;
  const auto p = fields.Values(t, kP);
  const auto mask = fields.Mask(t, kP);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double here = (kStandardPressure - p[i]) / 100;
    if (mask[i] == 1 && here > depth) {
      depth = here;
      column = static_cast<std::int64_t>(i) % fields.lons();
    }
  }
  return {depth, column};
}

TEST(Synthetic, StormsDeeperThan20HpaExistInBothPartsAndMoveEast) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const Fields fields = SyntheticFields(seed);
    int train = 0;
    int test = 0;
    int east = 0;
    int west = 0;
    for (std::int64_t t = 0; t + 2 < fields.steps(); ++t) {
      const auto [depth, column] = Deepest(fields, t);
      if (depth <= 20) continue;
      (t < kTrainSteps ? train : test) += 1;
      const auto [later_depth, later] = Deepest(fields, t + 2);
      if (later_depth > 20) (later > column ? east : west) += 1;
    }
    EXPECT_GT(train, 5) << seed;
    EXPECT_GT(test, 2) << seed;
    EXPECT_GT(east, west) << seed;
  }
}

}  // namespace
}  // namespace gyre::weather
