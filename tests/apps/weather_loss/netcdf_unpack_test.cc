#include "apps/weather_loss/netcdf_unpack.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/special_numbers.h"

namespace gyre::weather::detail {
namespace {

TEST(AsPacked, AnIntegerTakesOnlyWhatItHolds) {
  EXPECT_EQ(AsPacked<short>(-9999), short{-9999});
  EXPECT_EQ(AsPacked<short>(32767), short{32767});
  EXPECT_EQ(AsPacked<short>(-32768), short{-32768});
  EXPECT_FALSE(AsPacked<short>(32768).has_value());
  EXPECT_FALSE(AsPacked<short>(1.5).has_value());
  EXPECT_FALSE(AsPacked<short>(kNan).has_value());
  EXPECT_FALSE(AsPacked<unsigned char>(-1).has_value());
  EXPECT_EQ(AsPacked<unsigned char>(255), 255);
  EXPECT_FALSE(AsPacked<long long>(0x1p63).has_value());
  EXPECT_EQ(AsPacked<long long>(-0x1p63),
            std::numeric_limits<long long>::min());
}

TEST(AsPacked, AFloatRounds) {
  EXPECT_EQ(AsPacked<float>(1e20), 1e20f);
  EXPECT_EQ(AsPacked<double>(0.1), 0.1);
}

TEST(Unpack, ReportsTheFirstInfinity) {
  MaskedField field = {Tensor::Zeros({3}), Tensor::Zeros({3}, DType::kU8)};
  const double packed[] = {1, 1e39, -1e39};
  EXPECT_EQ(Unpack<double>(packed, {}, &field), 1);
  const double masked[] = {1, 1e39, 2};
  EXPECT_EQ(Unpack<double>(masked, {.fills = {1e39}}, &field), -1);
}

}  // namespace
}  // namespace gyre::weather::detail
