#include "apps/weather_loss/error_maps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/apps/weather_loss/small_fields.h"

namespace gyre::weather {

using namespace internal;

namespace {

TEST(ErrorMaps, HaveTheErrorsOfEachCell) {
  // Pressure rises by 10 from time to time; one cell is missing at time 2.
  Fields fields = SmallFields(3, 2, [](std::int64_t t, int c, std::int64_t i) {
    return c == kP ? static_cast<float>(100000 + 10 * t + i) : 0.0f;
  });
  Remove(&fields, 2, kP, 0);
  for (std::int64_t t = 0; t < 3; ++t) Remove(&fields, t, kP, 3);
  const std::int64_t ids[] = {0, 1};
  Tensor forecasts = Tensor::Zeros({2, kChannels, 2, 2});
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 4; ++i) {  // 3 too high, then 5 too low
      forecasts.data<float>()[k * kChannels * 4 + i] =
          100000.0f + 10 * (k + 1) + i + (k == 0 ? 3 : -5);
    }
  }
  const Json json = ErrorMaps(fields, ids, forecasts);
  const auto& maps = json.Find("maps")->elements();
  ASSERT_EQ(maps.size(), 3u);
  const auto value = [&](int map, int cell) {
    return *maps[map].Find("values")->elements()[cell].AsDouble();
  };
  EXPECT_EQ(value(0, 0), 10);
  EXPECT_EQ(value(1, 0), 3);  // the second pair has no truth there
  EXPECT_NEAR(value(1, 1), std::sqrt((9 + 25) / 2.0), 0.051);
  EXPECT_EQ(value(2, 1), -1);
  EXPECT_TRUE(maps[1].Find("values")->elements()[3].is_null());
  EXPECT_EQ(maps[0].Find("lat")->elements().size(), 2u);
}

}  // namespace
}  // namespace gyre::weather
