#include "apps/weather_loss/storm_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "apps/weather_loss/pairs.h"
#include "apps/weather_loss/statistics.h"
#include "gyre/core/io/file.h"
#include "tests/data/netcdf_writer.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// How one small file of a test is made; the defaults make a good one.
struct FileSpec {
  std::string variable = {};
  std::vector<double> lat = {20, 30};
  std::vector<double> hours = {0, 6, 12};
  double value = 0;
  std::string reference = "1996 01 05 00:00";
  bool with_fill = true;
  std::string units = {};  // of the variable
  std::string time_units = {};
  std::vector<double> valid_range = {};
};

void WriteFile(const std::string& path, const FileSpec& spec) {
  NetcdfWriter writer(path);
  writer.Dimension("timestep", spec.hours.size());
  writer.Dimension("lat", spec.lat.size());
  writer.Dimension("lon", 2);
  writer.Dimension("timelen", 20);
  writer.Variable(spec.variable, NC_FLOAT, {"timestep", "lat", "lon"});
  writer.Variable("timestep", NC_INT, {"timestep"});
  writer.Variable("lat", NC_FLOAT, {"lat"});
  writer.Variable("lon", NC_FLOAT, {"lon"});
  writer.Variable("reftime", NC_CHAR, {"timelen"});
  if (spec.with_fill) {
    writer.Attribute(spec.variable, "_FillValue", NC_FLOAT, {-9999});
  }
  if (!spec.units.empty()) {
    writer.TextAttribute(spec.variable, "units", spec.units);
  }
  if (!spec.time_units.empty()) {
    writer.TextAttribute("timestep", "units", spec.time_units);
  }
  if (!spec.valid_range.empty()) {
    writer.Attribute(spec.variable, "valid_range", NC_FLOAT, spec.valid_range);
  }
  std::vector<double> values(spec.hours.size() * spec.lat.size() * 2,
                             spec.value);
  values[1] = -9999;
  writer.Put(spec.variable, values);
  writer.Put("timestep", spec.hours);
  writer.Put("lat", spec.lat);
  writer.Put("lon", {-140, -137.5});
  std::string reference = spec.reference;
  reference.resize(20);
  writer.PutText("reftime", reference);
}

class StormFolderTest : public testing::Test {
 protected:
  StormFolderTest() { WriteAll({}); }
  // Six files that are alike but for their variables and values.
  void WriteAll(FileSpec spec) {
    const auto write = [&](const char* name, const char* variable, double x) {
      spec.variable = variable;
      spec.value = x;
      Write(name, spec);
    };
    write("Pstorm.cdf", "p", 101000);
    write("Tstorm.cdf", "t", 280);
    write("Ustorm.cdf", "u", 1);
    write("Vstorm.cdf", "v", 2);
    write("U500storm.cdf", "u", 3);
    write("V500storm.cdf", "v", 4);
  }
  void Write(const std::string& name, const FileSpec& spec) {
    WriteFile(dir_ / name, spec);
  }
  std::string LoadError() {
    const Status status = LoadStormData(dir_.path()).status();
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(KindOf(status), ErrorKind::kData);
    return Message(status);
  }

  TempDir dir_;
};

TEST_F(StormFolderTest, LoadsSixFilesIntoOneTensor) {
  const StatusOr<Fields> fields = LoadStormData(dir_.path());
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_EQ(fields->values.shape(), Shape({3, 6, 2, 2}));
  EXPECT_THAT(fields->Values(0, kP), ElementsAre(101000, 0, 101000, 101000));
  EXPECT_THAT(fields->Mask(0, kP), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(fields->Values(2, kU500), ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(
      fields->times,
      ElementsAre("1996-01-05T00Z", "1996-01-05T06Z", "1996-01-05T12Z"));
  EXPECT_THAT(fields->lat, ElementsAre(20, 30));
  EXPECT_EQ(fields->step_hours, 6);
}

TEST_F(StormFolderTest, AGridThatDiffersNamesFileExpectedAndGot) {
  Write("Ustorm.cdf", {.variable = "u", .lat = {20, 30, 40}});
  EXPECT_THAT(LoadError(),
              AllOf(HasSubstr("Ustorm.cdf: its grid differs"),
                    HasSubstr("expected 2 values of lat"),
                    HasSubstr("got 3")));
  Write("Ustorm.cdf", {.variable = "u", .lat = {20, 31}});
  EXPECT_THAT(LoadError(),
              AllOf(HasSubstr("lat[1] = 30"), HasSubstr("got 31")));
  Write("Ustorm.cdf", {.variable = "u", .hours = {0, 6, 13}});
  EXPECT_THAT(LoadError(), HasSubstr("time[2] = "));
  Write("Ustorm.cdf", {.variable = "u", .reference = "1997 01 05 00:00"});
  EXPECT_THAT(LoadError(), HasSubstr("1997-01-05T00Z"));
}

TEST_F(StormFolderTest, UnevenTimesAreRefused) {
  Write("Pstorm.cdf", {.variable = "p", .hours = {0, 6, 18}, .value = 101000});
  EXPECT_THAT(LoadError(),
              HasSubstr("got 1996-01-05T06Z and then 1996-01-05T18Z"));
}

TEST_F(StormFolderTest, AnotherUnitIsNoticed) {
  Write("Pstorm.cdf", {.variable = "p", .value = 1010});
  EXPECT_THAT(LoadError(),
              AllOf(HasSubstr("Pstorm.cdf"),
                    HasSubstr("80000 to 110000 Pa"),
                    HasSubstr("is 1010")));
}

TEST_F(StormFolderTest, ADeclaredUnitIsConvertedAndSaidSo) {
  Write("Ustorm.cdf", {.variable = "u", .value = 10, .units = "knots"});
  Write("Pstorm.cdf", {.variable = "p", .value = 1010, .units = "hPa"});
  const StatusOr<Fields> fields = LoadStormData(dir_.path());
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_FLOAT_EQ(fields->Values(0, kU)[0], 5.1444445f);
  EXPECT_FLOAT_EQ(fields->Values(0, kP)[0], 101000);
  EXPECT_THAT(
      fields->notes,
      ElementsAre(HasSubstr("hPa converted to Pa"),
                  HasSubstr("knots converted to m/s"),
                  HasSubstr("no attribute units for t, v, u500, v500")));
}

TEST_F(StormFolderTest, WhatIsOutsideOfTheValidRangeIsMissing) {
  Write("Ustorm.cdf",
        {.variable = "u", .value = 120, .valid_range = {-100, 100}});
  const StatusOr<Fields> fields = LoadStormData(dir_.path());
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_FALSE(fields->Present(0, kU));
}

TEST_F(StormFolderTest, TimesAreInTheUnitOfTheFile) {
  WriteAll({.hours = {0, 1, 2}, .time_units = "days since 1996-01-05 00:00"});
  StatusOr<Fields> fields = LoadStormData(dir_.path());
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_EQ(fields->step_hours, 24);
  EXPECT_EQ(fields->times[2], "1996-01-07T00Z");
  WriteAll({.hours = {0, 360, 720}, .time_units = "minutes since 1996-01-05"});
  fields = LoadStormData(dir_.path());
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_EQ(fields->step_hours, 6);
  EXPECT_EQ(fields->times[2], "1996-01-05T12Z");
  WriteAll({.hours = {0, 1, 2}, .time_units = "months since 1996-01-05"});
  EXPECT_THAT(LoadError(), HasSubstr("no fixed length"));
}

TEST_F(StormFolderTest, AFillValueThatIsNotDeclaredIsNoticed) {
  Write("Tstorm.cdf", {.variable = "t", .value = 280, .with_fill = false});
  EXPECT_THAT(LoadError(),
              AllOf(HasSubstr("element 1 is -9999"), HasSubstr("_FillValue")));
}

TEST_F(StormFolderTest, AMissingFileOrVariableIsNamed) {
  std::filesystem::remove(dir_ / "V500storm.cdf");
  EXPECT_THAT(LoadError(), HasSubstr("V500storm.cdf"));
  Write("V500storm.cdf", {.variable = "v500", .value = 4});
  EXPECT_THAT(LoadError(), HasSubstr("V500storm.cdf: variable v:"));
}

TEST_F(StormFolderTest, ATruncatedFileIsNamed) {
  const std::string whole = *ReadFile(dir_ / "Vstorm.cdf");
  ASSERT_TRUE(WriteFileAtomically(dir_ / "Vstorm.cdf",
                                  whole.substr(0, whole.size() / 2))
                  .ok());
  EXPECT_THAT(LoadError(),
              AllOf(HasSubstr("Vstorm.cdf"), HasSubstr("cut short")));
}

TEST_F(StormFolderTest, ABadReferenceTimeIsNamed) {
  Write("Pstorm.cdf", {.variable = "p", .value = 101000, .reference = "soon"});
  EXPECT_THAT(LoadError(), HasSubstr("Pstorm.cdf: reftime"));
}

TEST(LoadStormData, AMissingFolderSaysWhatToDo) {
  const Status status = LoadStormData("/no/such/folder").status();
  EXPECT_EQ(KindOf(status), ErrorKind::kData);
  EXPECT_THAT(Message(status),
              AllOf(HasSubstr("/no/such/folder, which is no folder"),
                    HasSubstr("libncarg-data"),
                    HasSubstr("--data synthetic")));
  TempDir empty;
  EXPECT_THAT(Message(LoadStormData(empty.path()).status()),
              HasSubstr("which does not hold it"));
}

TEST(LoadFields, KnowsTheSyntheticData) {
  const StatusOr<Fields> fields = LoadFields("synthetic", 3);
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_EQ(fields->source, "synthetic");
  EXPECT_FALSE(LoadFields("/no/such/folder").ok());
  const StatusOr<Fields> longer = LoadFields("synthetic:70", 3);
  ASSERT_TRUE(longer.ok()) << longer.status();
  EXPECT_EQ(longer->steps(), 70);
  for (const char* bad : {"synthetic:", "synthetic:63", "synthetic:70x"}) {
    EXPECT_THAT(Message(LoadFields(bad, 3).status()),
                HasSubstr("a number of six-hourly steps"));
  }
}

// The package's own files.
class StormPackageTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!DirectoryExists(kStormFolder)) {
      GTEST_SKIP() << "libncarg-data is not installed";
    }
  }
};

TEST_F(StormPackageTest, HasTheGridTheTimesAndTheGapsThatWeDescribe) {
  const StatusOr<Fields> fields = LoadFields("");
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_EQ(fields->values.shape(), Shape({64, 6, 33, 36}));
  EXPECT_EQ(fields->lat.front(), 20);
  EXPECT_EQ(fields->lat.back(), 60);
  EXPECT_EQ(fields->lon.front(), -140);
  EXPECT_EQ(fields->lon.back(), -52.5);
  EXPECT_EQ(fields->times.front(), "1996-01-05T00Z");
  EXPECT_EQ(fields->times.back(), "1996-01-20T18Z");
  EXPECT_EQ(fields->step_hours, 6);
  EXPECT_THAT(
      MissingFields(*fields),
      ElementsAre(
          "t at step 17", "v at step 17", "v500 at step 36", "v at step 37"));
  for (std::int64_t t = 0; t < fields->steps(); ++t) {
    for (int c = 0; c < kChannels; ++c) {
      if (!fields->Present(t, c)) continue;
      const auto mask = fields->Mask(t, c);
      EXPECT_EQ(std::count(mask.begin(), mask.end(), 0), 224) << t << " " << c;
    }
  }
}

TEST_F(StormPackageTest, Has42PairsToTrainAnd15ToTest) {
  const StatusOr<Fields> fields = LoadFields("");
  ASSERT_TRUE(fields.ok()) << fields.status();
  const PairSplit split = SplitPairs(*fields, kTrainSteps);
  EXPECT_EQ(split.train.size(), 42u);
  EXPECT_EQ(split.test.size(), 15u);
  EXPECT_EQ(SampleName(*fields, 17), "t=017 (1996-01-09T06Z)");
}

TEST_F(StormPackageTest, StatisticsAreThoseOfPressureInPascal) {
  const StatusOr<Fields> fields = LoadFields("");
  ASSERT_TRUE(fields.ok()) << fields.status();
  const StatusOr<Statistics> statistics =
      ComputeStatistics(*fields, kTrainSteps);
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  EXPECT_TRUE(statistics->warnings.empty());
  // With the fill value taken for data it would be 80 553 and 43 660.
  EXPECT_NEAR(statistics->channels[kP].mean, 101583, 1);
  EXPECT_NEAR(statistics->channels[kP].std, 1062, 1);
  EXPECT_EQ(statistics->channels[kP].count, 48 * (33 * 36 - 224));
  EXPECT_EQ(statistics->channels[kV].count, 46 * (33 * 36 - 224));
}

}  // namespace
}  // namespace gyre::weather
