#include "gyre/data/dataset/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gyre/core/io/file.h"
#include "gyre/data/dataset/statistics.h"
#include "gyre/data/dataset/toml.h"
#include "tests/data/cf_file.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kGood[] = R"(
files = "day*.nc"
[periods]
train = ["1996-01-05T00", "1996-01-05T12"]
test = ["1996-01-05T18", "1996-01-06T18"]
[[channel]]
name = "temperature"
variable = "t"
units = "degC"
[[channel]]
name = "again"
variable = "t"
files = ["day1.nc", "day2.nc"]
units = "K"
range = [200, 400]
)";

class DatasetTest : public testing::Test {
 protected:
  DatasetTest() {
    WriteCf(dir_ / "day1.nc", {}, {});
    CfFile next;
    next.times = {24, 30, 36, 42};
    WriteCf(dir_ / "day2.nc", next, {});
  }
  StatusOr<GriddedData> Load(const std::string& text) {
    EXPECT_TRUE(WriteFileAtomically(dir_ / "x.toml", text).ok());
    GYRE_ASSIGN_OR_RETURN(const DatasetConfig config,
                          ReadDatasetConfig(dir_ / "x.toml"));
    return LoadDataset(config);
  }
  // Of the good configuration with `from` replaced by `to`.
  std::string ErrorOf(const std::string& from, const std::string& to) {
    std::string text = kGood;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return Message(Load(text).status());
  }

  TempDir dir_;
};

TEST_F(DatasetTest, ChannelsOfSeveralFilesOnOneGrid) {
  const StatusOr<GriddedData> data = Load(kGood);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->values.shape(), Shape({8, 2, 3, 4}));
  EXPECT_THAT(data->channels, ElementsAre("temperature", "again"));
  EXPECT_THAT(data->units, ElementsAre("degC", "K"));
  EXPECT_EQ(data->step_seconds, 6 * 3600);
  EXPECT_EQ(data->train.size(), 3);
  EXPECT_EQ(data->test.begin, 3);
  EXPECT_EQ(data->test.end, 8);
  EXPECT_EQ(data->validation.size(), 0);
  const auto values = data->values.data<float>();
  EXPECT_FLOAT_EQ(values[0], 250.0f - 273.15f);
  EXPECT_EQ(values[12], 250.0f);
  EXPECT_EQ(values[4 * 24 + 12], 250.0f);  // the second file begins
  const auto mask = data->mask.data<std::uint8_t>();
  EXPECT_EQ(mask[24 + 8], 0);
  EXPECT_EQ(mask[24 + 9], 1);
}

TEST_F(DatasetTest, ErrorsSayWhatToWrite) {
  EXPECT_THAT(ErrorOf("units = \"degC\"", "unit = \"degC\""),
              AllOf(HasSubstr("x.toml: [[channel]] 1"),
                    HasSubstr("did you mean units?")));
  EXPECT_THAT(ErrorOf("name = \"again\"", "name = \"temperature\""),
              HasSubstr("is taken"));
  EXPECT_THAT(ErrorOf("train = [\"1996-01-05T00\", ", "train = ["),
              HasSubstr("train must be [\"FIRST\", \"LAST\"]"));
  EXPECT_THAT(ErrorOf("1996-01-05T12", "1996-01-04T12"),
              HasSubstr("before it begins"));
  EXPECT_THAT(ErrorOf("1996-01-05T00", "soon"),
              HasSubstr("expected a date and time"));
  EXPECT_THAT(ErrorOf("\"1996-01-05T18\", \"1996-01-06T18\"",
                      "\"1997-01-05\", \"1997-01-06\""),
              HasSubstr("the period test has no times"));
  EXPECT_THAT(ErrorOf("day*.nc", "night*.nc"), HasSubstr("no file"));
  EXPECT_THAT(ErrorOf("[200, 400]", "[260, 400]"),
              AllOf(HasSubstr("got 250 at 1996-01-05T00Z"),
                    HasSubstr("latitude 20, longitude -140")));
  EXPECT_THAT(ErrorOf("[200, 400]", "[400, 200]"), HasSubstr("[low, high]"));
  EXPECT_THAT(ErrorOf("[[channel]]", "[channel"),
              AllOf(HasSubstr("x.toml:"), HasSubstr("expected TOML")));
  EXPECT_THAT(ErrorOf("variable = \"t\"", "variable = 7"),
              HasSubstr("variable must be a text"));
}

TEST_F(DatasetTest, AMissingUnitIsNotGuessed) {
  CfFile silent;
  silent.units = "";
  WriteCf(dir_ / "day1.nc", silent, {});
  EXPECT_THAT(Message(Load(kGood).status()),
              HasSubstr("write units_of_file = \"degC\""));
}

TEST_F(DatasetTest, AGapInTheTimesIsNamed) {
  CfFile late;
  late.times = {30, 36, 42, 48};
  WriteCf(dir_ / "day2.nc", late, {});
  EXPECT_THAT(Message(Load(kGood).status()),
              HasSubstr("got 1996-01-05T18Z and then 1996-01-06T06Z"));
}

TEST_F(DatasetTest, StatisticsAreThoseOfTheTrainingPeriod) {
  const StatusOr<GriddedData> data = Load(kGood);
  ASSERT_TRUE(data.ok()) << data.status();
  std::vector<std::string> warnings;
  const auto statistics = ComputeChannelStatistics(
      data->values, data->mask, data->channels, data->train, &warnings);
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  double sum = 0, count = 0;
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t k = 0; k < 12; ++k) {
      if (CfFile::Missing(t, k / 4, k % 4)) continue;
      sum += CfFile::Value(t, k / 4, k % 4);
      ++count;
    }
  }
  EXPECT_EQ((*statistics)[1].count, 35);
  EXPECT_EQ((*statistics)[1].tendency_count, 22);
  EXPECT_NEAR((*statistics)[1].mean, sum / count, 1e-9);
  EXPECT_THAT(warnings, testing::SizeIs(2));  // 12 K in every step

  // The hash is of the training period, and knows the unit.
  const std::uint64_t hash = TrainingHash(*data);
  GriddedData other = *data;
  other.values = data->values.Clone();
  other.values.data<float>()[7 * 24] += 1;
  EXPECT_EQ(TrainingHash(other), hash);
  other.values.data<float>()[0] += 1;
  EXPECT_NE(TrainingHash(other), hash);
  other = *data;
  other.units[0] = "K";
  EXPECT_NE(TrainingHash(other), hash);
}

TEST(Toml, BecomesJson) {
  const auto json = ParseToml(
      "a = [1, 2.5, true]\nwhen = 1996-01-05T06:00:00Z\n[b]\nc = 'x'\n", "t");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(json->Find("a")->Dump(), "[1,2.5,true]");
  EXPECT_EQ(*json->GetString("when"), "1996-01-05T06:00:00Z");
  EXPECT_EQ(*json->Find("b")->GetString("c"), "x");
  const Status bad = ParseToml("a = 1\nb = [\n", "t.toml").status();
  EXPECT_EQ(KindOf(bad), ErrorKind::kConfig);
  EXPECT_THAT(Message(bad), HasSubstr("t.toml:"));
}

// No damage to a configuration crashes its reader.
TEST_F(DatasetTest, DamagedConfigurationsAreErrorsOrConfigurations) {
  std::mt19937 random(11);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = kGood;
    for (int k = 0; k < 4; ++k) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    const auto json = ParseToml(bad, "x.toml");
    EXPECT_TRUE(json.ok() || KindOf(json.status()) == ErrorKind::kConfig);
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
