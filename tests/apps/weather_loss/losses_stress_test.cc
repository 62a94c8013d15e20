// The application's losses, tried before any training.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "apps/weather_loss/batch.h"
#include "apps/weather_loss/losses.h"
#include "apps/weather_loss/pairs.h"
#include "apps/weather_loss/statistics.h"
#include "apps/weather_loss/storm_data.h"
#include "gyre/train/step/stress_loss.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// Cases and lines of what StressLoss finds for a softplus of this scale.
std::vector<LossFinding> Try(double softplus_scale) {
  const auto fields = LoadFields("synthetic", 1);
  const auto statistics = ComputeStatistics(*fields, kTrainSteps);
  const auto builder = BatchBuilder::Create(*fields, *statistics);
  EXPECT_TRUE(builder.ok()) << Message(builder.status());
  const Constants constants = builder->Constants();
  const Shape& area = constants.at("area").shape();
  const std::int64_t lat = area[area.rank() - 2];
  const std::int64_t lon = area[area.rank() - 1];
  const auto findings =
      StressLoss(StormLoss{constants, 0.1, softplus_scale},
                 {{"forecast", {2, 6, lat, lon}, InputRole::kPrediction},
                  {"target", {2, 6, lat, lon}, InputRole::kTarget},
                  {"mask", {2, 6, lat, lon}, InputRole::kMask},
                  {"slp_next", {2, 1, lat, lon}, InputRole::kOther}});
  EXPECT_TRUE(findings.ok()) << Message(findings.status());
  return findings.ok() ? *findings : std::vector<LossFinding>();
}

TEST(LossesStress, TheStormLossIsNaNWhereNoStormIsForecast) {
  bool seen = false;
  for (const LossFinding& f : Try(0)) {
    if (f.operation != "log") continue;
    seen = true;
    EXPECT_THAT(f.loc.ToString(), HasSubstr("losses.cc:"));
    ASSERT_FALSE(f.operands.empty());
    EXPECT_LE(f.operands[0], 0);
  }
  EXPECT_TRUE(seen);
}

TEST(LossesStress, ItsSoftplusFormIsFiniteOnOrdinaryNumbers) {
  std::set<std::string> cases;
  for (const LossFinding& f : Try(2)) cases.insert(f.input_case);
  EXPECT_THAT(cases, Not(Contains("ordinary numbers")));
  EXPECT_THAT(cases, Not(Contains("zeros")));
  EXPECT_THAT(cases, Not(Contains("NaN target where the mask is 0")));
  EXPECT_THAT(cases, Not(Contains("empty mask")));
}

}  // namespace
}  // namespace gyre::weather
