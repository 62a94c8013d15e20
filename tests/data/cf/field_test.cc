#include "gyre/data/cf/field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "gyre/core/hash.h"
#include "tests/data/cf_file.h"
#include "tests/support/special_numbers.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Places = std::map<std::string, std::vector<std::size_t>>;

class CfFieldTest : public testing::Test {
 protected:
  StatusOr<CfField> Read(const CfFile& file, const Places& places = {}) {
    WriteCf(path_, file, places);
    CfRequest request;
    request.variable = "t";
    request.units = "K";
    return ReadCfField({path_}, request);
  }
  // The same numbers, mask, places and times; `slack`: but for rounding.
  void ExpectSame(const CfFile& file,
                  const Places& places = {},
                  double slack = 0) {
    const auto field = Read(file, places);
    ASSERT_TRUE(field.ok()) << field.status();
    ASSERT_EQ(field->values.shape(), Shape({4, 3, 4}));
    std::size_t k = 0;
    for (std::size_t t = 0; t < 4; ++t) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 4; ++j, ++k) {
          const bool missing = CfFile::Missing(t, i, j);
          ASSERT_EQ(field->mask.data<std::uint8_t>()[k], missing ? 0 : 1);
          ASSERT_NEAR(field->values.data<float>()[k],
                      missing ? 0 : CfFile::Value(t, i, j),
                      slack);
        }
      }
    }
    EXPECT_EQ(field->TimeName(0), "1996-01-05T00Z");
    EXPECT_EQ(field->TimeName(3), "1996-01-05T18Z");
    EXPECT_THAT(field->lat, ElementsAre(20, 30, 40));
    EXPECT_THAT(field->lon, ElementsAre(-140, -130, -120, -110));
    notes_ = field->notes;
  }
  std::string ErrorOf(const CfFile& file, const Places& places = {}) {
    const Status status = Read(file, places).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kData);
    EXPECT_THAT(Message(status), HasSubstr("x.nc"));
    return Message(status);
  }

  TempDir dir_;
  std::string path_ = dir_ / "x.nc";
  std::vector<std::string> notes_;
};

TEST_F(CfFieldTest, FormatsTypesChunksAndByteOrders) {
  for (const int mode : {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4}) {
    ExpectSame({.mode = mode});
    EXPECT_THAT(notes_, IsEmpty());
  }
  ExpectSame({.type = NC_DOUBLE});
  ExpectSame({.type = NC_INT});
  ExpectSame({.place_type = NC_FLOAT});
  ExpectSame({.more = [](NetcdfWriter& w) { w.Deflate("t", {2, 2, 3}); }});
  ExpectSame({.more = [](NetcdfWriter& w) { w.Endian("t", NC_ENDIAN_BIG); }});
}

TEST_F(CfFieldTest, UnitsAreConvertedWithALine) {
  ExpectSame({.units = "degC", .encode = [](double x) { return x - 273.15; }},
             {},
             1e-4);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("degC converted to K (x 1 + 273")));
  ExpectSame({.units = "degF",
              .encode = [](double x) { return (x - 273.15) * 1.8 + 32; }},
             {},
             1e-4);
  ExpectSame({.units = "kelvin"});
  EXPECT_THAT(notes_, IsEmpty());
  EXPECT_THAT(ErrorOf({.units = "C"}),
              AllOf(HasSubstr("write degC"), HasSubstr("ncatted")));
  EXPECT_THAT(ErrorOf({.units = "m/s"}), HasSubstr("different things"));
  EXPECT_THAT(ErrorOf({.units = "warm"}), HasSubstr("no unit"));
  EXPECT_THAT(
      ErrorOf({.units = "degC",
               .texts = {{"units_metadata", "temperature: difference"}}}),
      HasSubstr("is a difference"));
}

TEST_F(CfFieldTest, PackingIsUndoneWithALine) {
  const auto pack = [](double x) { return std::round((x - 270) / 0.5); };
  ExpectSame({.type = NC_SHORT,
              .fill = -32768,
              .encode = pack,
              .numbers = {{"scale_factor", {NC_DOUBLE, {0.5}}},
                          {"add_offset", {NC_DOUBLE, {270}}}}});
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("packed as i16, x 0.5 + 270")));
  ExpectSame({.type = NC_BYTE,
              .fill = -1,
              .encode = [](double x) { return x - 250; },
              .numbers = {{"add_offset", {NC_DOUBLE, {250}}}},
              .texts = {{"_Unsigned", "true"}}});
}

TEST_F(CfFieldTest, WhatIsMissingByAnyOfItsSigns) {
  ExpectSame({.fill = kNan});
  ExpectSame({.fill = 1e20,
              .declares_fill = false,
              .numbers = {{"missing_value", {NC_DOUBLE, {1e20}}}}});
  ExpectSame({.fill = NC_FILL_FLOAT, .declares_fill = false});
  ExpectSame({.fill = 999,
              .declares_fill = false,
              .numbers = {{"valid_range", {NC_FLOAT, {200, 350}}}}});
  ExpectSame({.fill = kNan, .declares_fill = false});
  EXPECT_THAT(notes_,
              ElementsAre(AllOf(HasSubstr("1 NaN that no attribute declares"),
                                HasSubstr("1996-01-05T06Z"),
                                HasSubstr("latitude 40, longitude -140"))));
}

TEST_F(CfFieldTest, OrdersOfAxesAndAlongThem) {
  ExpectSame({.dims = {"lon", "lat", "time"}});
  ExpectSame({.dims = {"time", "level", "lat", "lon"}});
  ExpectSame({.lat = {40, 30, 20}}, {{"lat", {2, 1, 0}}});
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("from south to north")));
  ExpectSame({.lon = {220, 230, 240, 250}});
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("220 to 250 called -140 to -110")));
  ExpectSame({.lon = {240, 250, 220, 230}}, {{"lon", {2, 3, 0, 1}}});
  ExpectSame({.lon = {-110, -120, -130, -140}}, {{"lon", {3, 2, 1, 0}}});
  ExpectSame({.times = {18, 12, 6, 0}}, {{"time", {3, 2, 1, 0}}});
  ExpectSame({.times = {12, 0, 18, 6}}, {{"time", {2, 0, 3, 1}}});
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("times put in order")));
}

TEST_F(CfFieldTest, TimesInAnyUnitAndCalendar) {
  ExpectSame(
      {.times = {0, .25, .5, .75}, .time_units = "days since 1996-01-05"});
  ExpectSame({.times = {0, 360, 720, 1080},
              .time_units = "minutes since 1996-01-05 00:00:00",
              .calendar = "noleap",
              .time_type = NC_INT});
  ExpectSame({.times = {1, 7, 13, 19},
              .time_units = "hours since 1996-01-05 00:00:00 +01:00",
              .calendar = "proleptic_gregorian"});
  EXPECT_THAT(ErrorOf({.time_units = "months since 1996-01-05"}),
              HasSubstr("no fixed length"));
  EXPECT_THAT(ErrorOf({.time_units = "hours"}), HasSubstr("since"));
  EXPECT_THAT(ErrorOf({.times = {0, 6, 6, 12}}),
              AllOf(HasSubstr("1996-01-05T06Z"), HasSubstr("twice")));
  EXPECT_THAT(ErrorOf({.times = {0, 6, kNan, 18}}), HasSubstr("missing"));
}

TEST_F(CfFieldTest, PlacesThatAreNoneAreErrors) {
  EXPECT_THAT(ErrorOf({.lat = {20, 40, 30}}), HasSubstr("sort the file"));
  EXPECT_THAT(ErrorOf({.lat = {20, 30, 30}}), HasSubstr("twice"));
  EXPECT_THAT(ErrorOf({.lat = {20, 30, 4000}}), HasSubstr("-90 to 90"));
  EXPECT_THAT(ErrorOf({.lon = {0, 120, 240, 360}}),
              AllOf(HasSubstr("360"), HasSubstr("twice"), HasSubstr("ncks")));
  EXPECT_THAT(ErrorOf({.lon = {0, 1, 2, 3}, .lon_units = ""}),
              HasSubstr("look like radians"));
  EXPECT_THAT(ErrorOf({.lon_units = "km"}), HasSubstr("different things"));
  EXPECT_THAT(ErrorOf({.texts = {{"grid_mapping", "crs"}},
                       .more =
                           [](NetcdfWriter& w) {
                             w.Variable("crs", NC_INT, {});
                             w.TextAttribute("crs",
                                             "grid_mapping_name",
                                             "lambert_conformal_conic");
                           }}),
              HasSubstr("lambert_conformal_conic"));
}

TEST_F(CfFieldTest, AnglesInRadiansAreConverted) {
  constexpr double kDegree = 3.14159265358979323846 / 180;
  const auto field = Read({.lat = {20 * kDegree, 30 * kDegree, 40 * kDegree},
                           .lat_units = "radian"});
  ASSERT_TRUE(field.ok()) << field.status();
  EXPECT_NEAR(field->lat[2], 40, 1e-9);
}

TEST_F(CfFieldTest, AFullCircleBeginsAtGreenwich) {
  const auto field = Read({.lon = {-180, -90, 0, 90}}, {{"lon", {2, 3, 0, 1}}});
  ASSERT_TRUE(field.ok()) << field.status();
  EXPECT_THAT(field->lon, ElementsAre(0, 90, 180, 270));
  EXPECT_EQ(field->values.data<float>()[0], CfFile::Value(0, 0, 0));
}

TEST_F(CfFieldTest, LevelsAreChosenByName) {
  const auto write = [this](const std::vector<double>& levels) {
    NetcdfWriter w(path_, NC_NETCDF4);
    const std::vector<std::string> dims = {"time", "level", "lat", "lon"};
    for (const auto& dim : dims) {
      w.Dimension(dim, dim == "level" ? levels.size() : 1);
      w.Variable(dim, NC_DOUBLE, {dim});
    }
    w.TextAttribute("time", "units", "days since 2000-01-01");
    w.TextAttribute("level", "units", "hPa");
    w.TextAttribute("level", "positive", "down");
    w.Variable("z", NC_FLOAT, dims);
    w.Put("time", {0});
    w.Put("lat", {45});
    w.Put("lon", {7});
    w.Put("level", levels);
    w.Put("z", levels);
  };
  write({500, 850, 1000});
  CfRequest request;
  request.variable = "z";
  EXPECT_THAT(Message(ReadCfField({path_}, request).status()),
              HasSubstr("say which level"));
  request.level = 850;
  const auto field = ReadCfField({path_}, request);
  ASSERT_TRUE(field.ok()) << field.status();
  EXPECT_EQ(field->values.data<float>()[0], 850);
  request.level = 700;
  EXPECT_THAT(Message(ReadCfField({path_}, request).status()),
              AllOf(HasSubstr("no level 700"), HasSubstr("500 850 1000 hPa")));
}

TEST_F(CfFieldTest, SeveralFilesAreJoinedAlongTime) {
  const std::string late = dir_ / "late.nc";
  CfFile first;
  first.times = {0, 6};
  CfFile second;
  second.times = {12, 18};
  WriteCf(late, second, {{"time", {2, 3}}});
  WriteCf(path_, first, {});
  CfRequest request;
  request.variable = "t";
  const auto field = ReadCfField({late, path_}, request);
  ASSERT_TRUE(field.ok()) << field.status();
  EXPECT_EQ(field->values.shape(), Shape({4, 3, 4}));
  EXPECT_EQ(field->TimeName(3), "1996-01-05T18Z");
  EXPECT_EQ(field->values.data<float>()[36], CfFile::Value(3, 0, 0));
  EXPECT_THAT(Message(ReadCfField({path_, path_}, request).status()),
              HasSubstr("1996-01-05T00Z is in"));
  second.lat = {20, 30, 41};
  WriteCf(late, second, {});
  EXPECT_THAT(Message(ReadCfField({path_, late}, request).status()),
              HasSubstr("grid differs"));
}

TEST_F(CfFieldTest, APeriodIsReadAlone) {
  WriteCf(path_, {.times = {18, 12, 6, 0}}, {{"time", {3, 2, 1, 0}}});
  CfRequest request;
  request.variable = "t";
  request.first_time = 820800000 + 6 * 3600;
  request.last_time = 820800000 + 12 * 3600;
  const auto field = ReadCfField({path_}, request);
  ASSERT_TRUE(field.ok()) << field.status();
  ASSERT_EQ(field->seconds.size(), 2u);
  EXPECT_EQ(field->TimeName(0), "1996-01-05T06Z");
  EXPECT_EQ(field->values.data<float>()[0], CfFile::Value(1, 0, 0));
}

}  // namespace
}  // namespace gyre::internal::inline tests
