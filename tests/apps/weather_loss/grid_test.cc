#include "apps/weather_loss/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace gyre::weather {

using namespace internal;

namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

double SinDegrees(double x) { return std::sin(x * std::numbers::pi / 180); }

TEST(AreaWeights, RegionalGridGoesHalfARowBeyond) {
  const StatusOr<std::vector<double>> w = AreaWeights({20, 30, 40});
  ASSERT_TRUE(w.ok()) << w.status();
  const double sum = SinDegrees(45) - SinDegrees(15);
  EXPECT_NEAR((*w)[0], 3 * (SinDegrees(25) - SinDegrees(15)) / sum, 1e-12);
  EXPECT_NEAR((*w)[1], 3 * (SinDegrees(35) - SinDegrees(25)) / sum, 1e-12);
  EXPECT_NEAR((*w)[2], 3 * (SinDegrees(45) - SinDegrees(35)) / sum, 1e-12);
}

TEST(AreaWeights, FallingOrderGivesTheSameRows) {
  const std::vector<double> rising = *AreaWeights({20, 30, 45});
  const std::vector<double> falling = *AreaWeights({45, 30, 20});
  EXPECT_THAT(falling,
              ElementsAre(DoubleNear(rising[2], 1e-12),
                          DoubleNear(rising[1], 1e-12),
                          DoubleNear(rising[0], 1e-12)));
}

TEST(AreaWeights, GlobalGridsEndAtThePoles) {
  // With rows on the poles, and with rows half a step from them: the weights
  // are areas of the sphere, which sum to it.
  for (const double start : {-90.0, -85.0}) {
    std::vector<double> lat;
    for (double x = start; x <= 90; x += 10) lat.push_back(x);
    const StatusOr<std::vector<double>> w = AreaWeights(lat);
    ASSERT_TRUE(w.ok()) << w.status();
    const double n = static_cast<double>(lat.size());
    EXPECT_NEAR(std::accumulate(w->begin(), w->end(), 0.0), n, 1e-9);
    for (const double weight : *w) EXPECT_GT(weight, 0);
    EXPECT_NEAR(w->front(), w->back(), 1e-12);
    const double reach = start + 5;  // the first row's upper bound
    EXPECT_NEAR(
        w->front(), n / 2 * (SinDegrees(std::min(reach, 90.0)) + 1), 1e-12);
  }
}

TEST(AreaWeights, ASingleRowHasWeightOne) {
  EXPECT_THAT(*AreaWeights({57.5}), ElementsAre(1.0));
  EXPECT_THAT(*AreaWeights({90}), ElementsAre(1.0));
}

TEST(AreaWeights, RefusesWhatIsNoLatitude) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(AreaWeights({}).ok());
  EXPECT_FALSE(AreaWeights({0, nan}).ok());
  EXPECT_THAT(Message(AreaWeights({0, 100}).status()),
              HasSubstr("lat[1] is 100"));
  EXPECT_THAT(Message(AreaWeights({0, 10, 5}).status()),
              HasSubstr("10 is followed by 5"));
  EXPECT_FALSE(AreaWeights({10, 10}).ok());
  EXPECT_EQ(KindOf(AreaWeights({}).status()), ErrorKind::kData);
}

}  // namespace
}  // namespace gyre::weather
