#include "apps/weather_loss/element_name.h"

#include <gtest/gtest.h>

namespace gyre::weather {

using namespace internal;

namespace {

Fields Grid() {
  Fields fields;
  fields.values = Tensor::Zeros({3, kChannels, 2, 3});
  fields.lat = {50, 52.5};
  fields.lon = {0, 175, 340};
  fields.times = {"1996-01-05T00Z", "1996-01-05T06Z", "1996-01-05T12Z"};
  return fields;
}

TEST(ElementName, SaysVariableCellAndTime) {
  const Fields fields = Grid();
  EXPECT_EQ(ElementName(fields, 1, "", {1, 2, 3}, 5),
            "p at 52.5N 20W, valid 1996-01-05T12Z");
  EXPECT_EQ(ElementName(fields, 0, "target", {6, 2, 3}, 6 * 3 + 1),
            "v at 50N 175E, valid 1996-01-05T06Z");
  EXPECT_EQ(ElementName(fields, 0, "", {32, 2, 3}, 6 * 31),
            "channel 31 at 50N 0E, valid 1996-01-05T06Z");
}

TEST(ElementName, InputsAreOfTheTimeBefore) {
  EXPECT_EQ(ElementName(Grid(), 0, "slp_now", {1, 2, 3}, 0),
            "p at 50N 0E, valid 1996-01-05T00Z");
  EXPECT_EQ(ElementName(Grid(), 0, "slp_next", {1, 2, 3}, 0),
            "p at 50N 0E, valid 1996-01-05T06Z");
}

TEST(ElementName, SaysNothingOfWhatIsNotOnTheGrid) {
  const Fields fields = Grid();
  EXPECT_EQ(ElementName(fields, 0, "", {6}, 0), "");
  EXPECT_EQ(ElementName(fields, 0, "", {6, 3, 3}, 0), "");
  EXPECT_EQ(ElementName(fields, 0, "", {1, 2, 3}, 6), "");
  EXPECT_EQ(ElementName(fields, 2, "", {1, 2, 3}, 0), "");  // no time after it
}

TEST(PlaceName, CountsFromTheEquatorAndGreenwich) {
  EXPECT_EQ(PlaceName(-7.5, 200), "7.5S 160W");
  EXPECT_EQ(PlaceName(0, -12.25), "0N 12.25W");
  EXPECT_EQ(PlaceName(90, 360), "90N 0E");
}

}  // namespace
}  // namespace gyre::weather
