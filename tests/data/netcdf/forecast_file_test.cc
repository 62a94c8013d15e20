#include "gyre/data/netcdf/forecast_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/core/io/file.h"
#include "gyre/data/cf/field.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ForecastLayout SmallLayout() {
  ForecastLayout layout;
  layout.channels = {{"t", "K", "air_temperature", ""},
                     {"u", "m/s", "eastward_wind", "wind"}};
  layout.lat = {10, 20};
  layout.lon = {0, 1, 2};
  layout.calendar = Calendar::kNoLeap;
  layout.lead_seconds = 6 * 3600;
  layout.attributes = {{"title", "a test"}};
  return layout;
}

// Times 0 .. n - 1 from `from` on.
Tensor NumberedForecasts(std::int64_t n, float from) {
  Tensor values = Tensor::Zeros({n, 2, 2, 3});
  for (float& x : values.data<float>()) x = from++;
  return values;
}
Tensor AllValid(std::int64_t n) {
  Tensor mask(DType::kU8, Shape({n, 2, 2, 3}));
  for (std::uint8_t& m : mask.data<std::uint8_t>()) m = 1;
  return mask;
}

TEST(ForecastFile, WhatIsAppendedComesBackThroughOurReader) {
  TempDir dir;
  const std::string path = dir / "f.nc";
  auto file = ForecastFile::Create(path, SmallLayout());
  ASSERT_TRUE(file.ok()) << file.status();
  const std::int64_t day = 86'400;
  Tensor holes = AllValid(1);
  holes.data<std::uint8_t>()[6 + 2] = 0;
  const std::int64_t first[] = {0, 365 * day}, second[] = {730 * day};
  ASSERT_TRUE(
      (*file)->Append(NumberedForecasts(2, 1), AllValid(2), first).ok());
  ASSERT_TRUE((*file)->Append(NumberedForecasts(1, 100), holes, second).ok());
  EXPECT_FALSE(FileExists(path));
  ASSERT_TRUE((*file)->Finish().ok());

  CfRequest request;
  request.variable = "u";
  request.units = "m/s";
  const auto u = ReadCfField({path}, request);
  ASSERT_TRUE(u.ok()) << u.status();
  EXPECT_EQ(u->values.shape(), Shape({3, 2, 3}));
  EXPECT_EQ(u->TimeName(0), "1970-01-01T06Z");
  EXPECT_EQ(u->TimeName(2), "1972-01-01T06Z");
  EXPECT_EQ(u->calendar, Calendar::kNoLeap);
  EXPECT_EQ(u->values.data<float>()[0], 7);
  EXPECT_EQ(u->values.data<float>()[12], 106);
  EXPECT_EQ(u->mask.data<std::uint8_t>()[12 + 2], 0);
  EXPECT_EQ(u->mask.data<std::uint8_t>()[12 + 3], 1);
  EXPECT_THAT(u->notes, testing::IsEmpty());
  EXPECT_THAT(u->lon, ElementsAre(0, 1, 2));
}

TEST(ForecastFile, AnUnfinishedOneLeavesNothingBehind) {
  TempDir dir;
  {
    auto file = ForecastFile::Create(dir / "f.nc", SmallLayout());
    ASSERT_TRUE(file.ok()) << file.status();
  }
  EXPECT_THAT(*ListDirectory(dir.path()), testing::IsEmpty());
}

TEST(ForecastFile, WrongShapesAndFoldersAreErrors) {
  TempDir dir;
  EXPECT_THAT(
      Message(ForecastFile::Create(dir / "no/f.nc", SmallLayout()).status()),
      HasSubstr("cannot be written"));
  auto file = ForecastFile::Create(dir / "f.nc", SmallLayout());
  ASSERT_TRUE(file.ok()) << file.status();
  const std::int64_t starts[] = {0};
  EXPECT_THAT(
      Message((*file)->Append(NumberedForecasts(2, 0), AllValid(2), starts)),
      HasSubstr("expected forecasts"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
