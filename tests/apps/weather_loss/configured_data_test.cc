#include "apps/weather_loss/configured_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/weather_loss/pairs.h"
#include "apps/weather_loss/statistics.h"
#include "gyre/core/io/file.h"
#include "tests/data/netcdf_writer.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;

// Other names, units, levels and another grid than the storm's, every 12 h.
void WriteEra(const std::string& path) {
  NetcdfWriter w(path, NC_NETCDF4);
  w.Dimension("valid_time", 8);
  w.Dimension("plev", 2);
  w.Dimension("latitude", 3);
  w.Dimension("longitude", 4);
  const std::vector<std::string> surface = {
      "valid_time", "latitude", "longitude"};
  const std::vector<std::string> levels = {
      "valid_time", "plev", "latitude", "longitude"};
  const auto coordinate = [&](const char* name, const char* units) {
    w.Variable(name, NC_DOUBLE, {name});
    w.TextAttribute(name, "units", units);
  };
  coordinate("valid_time", "days since 2001-02-01");
  coordinate("plev", "hPa");
  coordinate("latitude", "degrees_north");
  coordinate("longitude", "degrees_east");
  const auto variable = [&](const char* name,
                            const char* units,
                            const std::vector<std::string>& dims) {
    w.Variable(name, NC_FLOAT, dims);
    w.TextAttribute(name, "units", units);
  };
  variable("msl", "hPa", surface);
  variable("t2m", "degC", surface);
  variable("u10", "knots", surface);
  variable("ua", "m s-1", levels);
  w.Put("valid_time", {0, .5, 1, 1.5, 2, 2.5, 3, 3.5});
  w.Put("plev", {850, 500});
  w.Put("latitude", {50, 40, 30});
  w.Put("longitude", {0, 10, 20, 30});
  const auto ramp = [](std::size_t n, double from) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = from + static_cast<double>(i * i % 17);
    }
    return values;
  };
  w.Put("msl", ramp(96, 1000));
  w.Put("t2m", ramp(96, 10));
  w.Put("u10", ramp(96, 5));
  w.Put("ua", ramp(192, -3));
}

constexpr char kEra[] = R"(files = "era.nc"
[periods]
train = ["2001-02-01", "2001-02-02T12"]
test = ["2001-02-03", "2001-02-04"]
[[channel]]
name = "u500"
variable = "ua"
level = 500
[[channel]]
name = "v500"
variable = "ua"
level = 850
[[channel]]
name = "p"
variable = "msl"
[[channel]]
name = "t"
variable = "t2m"
[[channel]]
name = "u"
variable = "u10"
[[channel]]
name = "v"
variable = "u10"
)";

class ConfiguredDataTest : public testing::Test {
 protected:
  ConfiguredDataTest() { WriteEra(dir_ / "era.nc"); }
  StatusOr<Fields> Load(std::string text,
                        const std::string& from = "",
                        const std::string& to = "") {
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    EXPECT_TRUE(WriteFileAtomically(dir_ / "era.toml", text).ok());
    return LoadConfiguredData(dir_ / "era.toml");
  }

  TempDir dir_;
};

TEST_F(ConfiguredDataTest, AnotherFileBecomesTheSixFields) {
  const StatusOr<Fields> fields = Load(kEra);
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_EQ(fields->values.shape(), Shape({7, 6, 3, 4}));
  EXPECT_EQ(fields->step_hours, 12);
  EXPECT_EQ(fields->times[1], "2001-02-01T12Z");
  // The northern row of the file is the last here.
  EXPECT_FLOAT_EQ(fields->Values(0, kP)[8], 100000);
  EXPECT_FLOAT_EQ(fields->Values(0, kT)[8], 283.15f);
  EXPECT_FLOAT_EQ(fields->Values(0, kU)[8], 5 * 0.5144444f);
  EXPECT_FLOAT_EQ(fields->Values(0, kV500)[8], -3);
  EXPECT_FLOAT_EQ(fields->Values(0, kU500)[8], -3 + 144 % 17);
  EXPECT_EQ(TrainSteps(*fields), 4);
  const PairSplit split = SplitPairs(*fields, TrainSteps(*fields));
  EXPECT_THAT(split.train, testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(split.test, testing::ElementsAre(4, 5));
}

TEST_F(ConfiguredDataTest, WhatDoesNotFitIsAnError) {
  EXPECT_THAT(
      Message(Load(kEra, "name = \"v500\"", "name = \"w500\"").status()),
      HasSubstr("no [[channel]] with name = \"v500\""));
  EXPECT_THAT(
      Message(Load(std::string(kEra) + "[[channel]]\nname = \"q\"\n").status()),
      HasSubstr("got 7"));
  EXPECT_THAT(
      Message(
          Load(kEra, "level = 500", "level = 500\nunits = \"knots\"").status()),
      HasSubstr("units must be m/s"));
  EXPECT_THAT(
      Message(Load(kEra, "variable = \"msl\"", "variable = \"t2m\"").status()),
      HasSubstr("cannot become"));
  EXPECT_THAT(Message(Load(kEra, "2001-02-03\"", "2001-02-02\"").status()),
              HasSubstr("train before validation and test"));
}

}  // namespace
}  // namespace gyre::weather
