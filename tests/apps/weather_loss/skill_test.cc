#include "apps/weather_loss/skill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "apps/weather_loss/grid.h"
#include "apps/weather_loss/pairs.h"
#include "apps/weather_loss/statistics.h"
#include "apps/weather_loss/storm_data.h"
#include "gyre/core/io/file.h"
#include "tests/apps/weather_loss/small_fields.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;

// Two steps to train, two to test; two cells, on two rows. A storm of 30 hPa
// arrives in the second cell at the last step.
Fields SampleSkill() {
  return SmallFields(4, 1, [](std::int64_t t, int c, std::int64_t cell) {
    if (c == kP) return t == 3 && cell == 1 ? 98325.0f : 101325.0f;
    return static_cast<float>(t * (cell + 1));
  });
}

const std::vector<std::int64_t> kTest = {2};

SkillReport Report(const Fields& fields, const Tensor& forecasts) {
  StatusOr<SkillReport> report = ComputeSkill(fields, kTest, forecasts, 2);
  GYRE_CHECK(report.ok(), report.status());
  return *std::move(report);
}

// The observed next fields: a perfect forecast.
Tensor Perfect(const Fields& fields) {
  return Persistence(fields, std::vector<std::int64_t>{3});
}

TEST(Skill, PersistenceHasSkillZero) {
  const Fields fields = SampleSkill();
  const SkillReport report = Report(fields, Persistence(fields, kTest));
  for (int c = 0; c < kChannels; ++c) {
    EXPECT_EQ(report.channels[c].skill, 0.0) << c;
    EXPECT_EQ(report.channels[c].rmse, report.channels[c].rmse_persistence);
  }
  EXPECT_EQ(report.storm_cells, 1);
  EXPECT_DOUBLE_EQ(*report.storm.bias_hpa, -30);
  EXPECT_DOUBLE_EQ(*report.storm_persistence.rmse_hpa, 30);
}

TEST(Skill, APerfectForecastHasSkillOne) {
  const Fields fields = SampleSkill();
  const SkillReport report = Report(fields, Perfect(fields));
  for (const ChannelSkill& channel : report.channels) {
    EXPECT_EQ(channel.skill, 1.0);
    EXPECT_EQ(channel.skill_vs_mean, 1.0);
    EXPECT_EQ(channel.rmse, 0);
  }
  EXPECT_EQ(report.storm.bias_hpa, 0.0);
  EXPECT_EQ(report.coverage, 1);
}

TEST(Skill, ErrorsAreWeightedByArea) {
  const Fields fields = SampleSkill();
  const std::vector<double> area = *AreaWeights(fields.lat);
  Tensor forecasts = Perfect(fields);
  forecasts.data<float>()[kT * 2 + 0] += 3;  // the first row
  forecasts.data<float>()[kT * 2 + 1] += 1;  // the second
  const SkillReport report = Report(fields, forecasts);
  EXPECT_NEAR(report.channels[kT].rmse,
              std::sqrt((area[0] * 9 + area[1] * 1) / 2),
              1e-6);
  // The errors of persistence are 1 and 2, those of the training mean (0.5,
  // and 1) 2.5 and 5.
  const double model = area[0] * 9 + area[1] * 1;
  EXPECT_NEAR(*report.channels[kT].skill,
              1 - model / (area[0] * 1 + area[1] * 4),
              1e-6);
  EXPECT_NEAR(*report.channels[kT].skill_vs_mean,
              1 - model / (area[0] * 6.25 + area[1] * 25),
              1e-6);
}

TEST(Skill, MissingCellsDoNotCount) {
  Fields fields = SampleSkill();
  Remove(&fields, 3, kT, 1);
  Remove(&fields, 3, kP, 1);
  Tensor forecasts = Perfect(fields);
  forecasts.data<float>()[kT * 2 + 1] = std::nanf("");
  const SkillReport report = Report(fields, forecasts);
  EXPECT_EQ(report.channels[kT].rmse, 0);
  EXPECT_DOUBLE_EQ(report.coverage, 10.0 / 12);
  // The storm was there, but nobody saw it.
  EXPECT_EQ(report.storm_cells, 0);
  EXPECT_FALSE(report.storm.bias_hpa.has_value());
}

TEST(Skill, AForecastOfNanIsNotLeftOut) {
  const Fields fields = SampleSkill();
  Tensor forecasts = Perfect(fields);
  forecasts.data<float>()[kT * 2] = std::nanf("");
  const SkillReport report = Report(fields, forecasts);
  EXPECT_TRUE(std::isnan(report.channels[kT].rmse));
  EXPECT_TRUE(std::isnan(*report.channels[kT].skill));
  EXPECT_EQ(report.channels[kU].skill, 1.0);
  EXPECT_THAT(ToJson(report).Dump(), HasSubstr(R"("t":"NaN")"));
}

TEST(Skill, AReferenceWithoutErrorGivesNoNumber) {
  const Fields fields = SmallFields(
      4, 1, [](std::int64_t, int, std::int64_t) { return 101325.0f; });
  const SkillReport report = Report(fields, Perfect(fields));
  EXPECT_FALSE(report.channels[kP].skill.has_value());
  EXPECT_FALSE(report.storm.rmse_hpa.has_value());
  const Json json = ToJson(report);
  EXPECT_TRUE(json.Find("skill")->Find("p")->is_null());
  EXPECT_TRUE(json.Find("storm")->Find("bias_hpa")->is_null());
}

TEST(Skill, RefusesWhatDoesNotFit) {
  const Fields fields = SampleSkill();
  EXPECT_THAT(
      Message(
          ComputeSkill(fields, kTest, Tensor::Zeros({2, 6, 2, 1}), 2).status()),
      HasSubstr("(1, 6, 2, 1)"));
  EXPECT_FALSE(ComputeSkill(fields, {}, Tensor::Zeros({0, 6, 2, 1}), 2).ok());
  const std::vector<std::int64_t> last = {3};
  EXPECT_FALSE(ComputeSkill(fields, last, Tensor::Zeros({1, 6, 2, 1}), 2).ok());
  Fields gap = SampleSkill();
  RemoveField(&gap, 3, kU);
  EXPECT_THAT(Message(ComputeSkill(gap, kTest, Perfect(gap), 2).status()),
              HasSubstr("channel u"));
}

TEST(TrainMean, IsThatOfEachCell) {
  Fields fields = SampleSkill();
  Remove(&fields, 0, kT, 1);
  Remove(&fields, 0, kU, 1);
  Remove(&fields, 1, kU, 1);
  const Tensor mean = TrainMean(fields, 2);
  EXPECT_EQ(mean.shape(), Shape({6, 2, 1}));
  EXPECT_FLOAT_EQ(mean.data<float>()[kT * 2 + 0], 0.5f);
  EXPECT_FLOAT_EQ(mean.data<float>()[kT * 2 + 1], 2.0f);
  // Never seen: the mean of the channel.
  EXPECT_FLOAT_EQ(mean.data<float>()[kU * 2 + 1], 0.5f);
}

// Numbers that an independent program found, to all the digits it printed.
TEST(Skill, ReferencesOnTheStormDataAreThePublishedOnes) {
  if (!DirectoryExists(kStormFolder)) {
    GTEST_SKIP() << "libncarg-data is not installed";
  }
  const StatusOr<Fields> fields = LoadFields("");
  ASSERT_TRUE(fields.ok()) << fields.status();
  const PairSplit split = SplitPairs(*fields, kTrainSteps);
  const StatusOr<SkillReport> report = ComputeSkill(
      *fields, split.test, Persistence(*fields, split.test), kTrainSteps);
  ASSERT_TRUE(report.ok()) << report.status();

  constexpr double kPersistence[] = {473, 3.50, 3.98, 4.75, 5.20, 7.32};
  constexpr double kMean[] = {1036, 8.17, 5.83, 7.93, 12.8, 15.0};
  constexpr double kMeanDigit[] = {1, 0.01, 0.01, 0.01, 0.1, 0.1};
  for (int c = 0; c < kChannels; ++c) {
    // Half a unit of the last digit, and as much again because the area
    // weights there were cosines.
    EXPECT_NEAR(report->channels[c].rmse_persistence,
                kPersistence[c],
                c == kP ? 1 : 0.01)
        << kChannelNames[c];
    EXPECT_NEAR(report->channels[c].rmse_mean, kMean[c], kMeanDigit[c])
        << kChannelNames[c];
  }
  EXPECT_NEAR(*report->storm_persistence.bias_hpa, -3.40, 0.005);
  EXPECT_NEAR(*report->storm_persistence.rmse_hpa, 6.68, 0.005);
  EXPECT_EQ(report->storm_cells, 432);
}

}  // namespace
}  // namespace gyre::weather
