#include "apps/weather_loss/valid_time.h"

#include <gtest/gtest.h>

namespace gyre::weather {

using namespace internal;

namespace {

TEST(ValidTime, ReadsTheTextOfTheStormFiles) {
  const std::string text("1996 01 05 00:00\0\0\0\0", 20);
  const StatusOr<std::int64_t> hour = ParseReferenceTime(text);
  ASSERT_TRUE(hour.ok()) << hour.status();
  EXPECT_EQ(IsoHour(*hour), "1996-01-05T00Z");
  EXPECT_EQ(IsoHour(*hour + 102), "1996-01-09T06Z");
  EXPECT_EQ(IsoHour(*hour + 378), "1996-01-20T18Z");
}

TEST(ValidTime, KnowsTheCalendar) {
  EXPECT_EQ(*ParseReferenceTime("1970 01 01 00:00"), 0);
  EXPECT_EQ(IsoHour(*ParseReferenceTime("1996 02 28 18:00") + 6),
            "1996-02-29T00Z");
  EXPECT_EQ(IsoHour(*ParseReferenceTime("1900 02 28 18:00") + 6),
            "1900-03-01T00Z");
  EXPECT_EQ(IsoHour(-1), "1969-12-31T23Z");
}

TEST(ValidTime, RefusesWhatIsNoTime) {
  for (const char* bad : {"",
                          "1996",
                          "1996 13 05 00:00",
                          "1996 02 30 00:00",
                          "1996 01 05 24:00",
                          "1996 01 05 00:30",
                          "1996 01 05 00:00 and more",
                          "yesterday"}) {
    const Status status = ParseReferenceTime(bad).status();
    EXPECT_FALSE(status.ok()) << bad;
    EXPECT_EQ(KindOf(status), ErrorKind::kData) << bad;
  }
}

}  // namespace
}  // namespace gyre::weather
