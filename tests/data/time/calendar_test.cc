#include "gyre/data/time/calendar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/data/time/time_axis.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

constexpr Calendar kAll[] = {Calendar::kStandard,
                             Calendar::kProlepticGregorian,
                             Calendar::kJulian,
                             Calendar::kNoLeap,
                             Calendar::kAllLeap,
                             Calendar::k360Day};

TEST(Calendar, EveryDayIsTheNextOfTheOneBefore) {
  for (const Calendar calendar : kAll) {
    CalendarDate last = DateOf(calendar, -200'001);
    for (std::int64_t day = -200'000; day < 30'000; ++day) {
      const CalendarDate date = DateOf(calendar, day);
      ASSERT_EQ(*DayNumber(calendar, date), day) << Name(calendar);
      ASSERT_TRUE(date.day == last.day + 1 || date.day == 1 ||
                  (date == CalendarDate{1582, 10, 15}));
      last = date;
    }
  }
}

TEST(Calendar, KnownDays) {
  const auto day = [](Calendar calendar, CalendarDate date) {
    return *DayNumber(calendar, date);
  };
  EXPECT_EQ(day(Calendar::kStandard, {1970, 1, 1}), 0);
  EXPECT_EQ(day(Calendar::kStandard, {2000, 3, 1}), 11017);
  EXPECT_EQ(day(Calendar::kStandard, {1582, 10, 15}) -
                day(Calendar::kStandard, {1582, 10, 4}),
            1);
  EXPECT_EQ(day(Calendar::kStandard, {1, 1, 1}), -719164);
  EXPECT_EQ(day(Calendar::kProlepticGregorian, {1, 1, 1}), -719162);
  EXPECT_EQ(day(Calendar::kNoLeap, {1971, 1, 1}), 365);
  EXPECT_EQ(day(Calendar::k360Day, {1970, 2, 30}), 59);
}

TEST(Calendar, NoSuchDate) {
  EXPECT_FALSE(DayNumber(Calendar::kStandard, {1582, 10, 10}).ok());
  EXPECT_FALSE(DayNumber(Calendar::kStandard, {1900, 2, 29}).ok());
  EXPECT_TRUE(DayNumber(Calendar::kJulian, {1900, 2, 29}).ok());
  EXPECT_FALSE(DayNumber(Calendar::kNoLeap, {2000, 2, 29}).ok());
  EXPECT_FALSE(DayNumber(Calendar::k360Day, {2000, 1, 31}).ok());
  EXPECT_FALSE(DayNumber(Calendar::kStandard, {0, 1, 1}).ok());
  EXPECT_FALSE(ParseCalendar("none").ok());
  EXPECT_EQ(*ParseCalendar("Gregorian"), Calendar::kStandard);
}

std::string Iso(const std::string& units,
                const std::string& calendar,
                double value) {
  const auto time = ParseTimeUnits(units, calendar);
  if (!time.ok()) return Message(time.status());
  const auto seconds = time->Seconds(value);
  return seconds.ok() ? IsoTime(time->calendar, *seconds)
                      : Message(seconds.status());
}

TEST(TimeUnits, OneTimeInManyEncodings) {
  const std::string wanted = "1996-01-09T06Z";
  EXPECT_EQ(Iso("hours since 1996-01-05 00:00", "", 102), wanted);
  EXPECT_EQ(Iso("days since 1996-1-5", "standard", 4.25), wanted);
  EXPECT_EQ(Iso("minutes since 1996-01-05T00:00:00Z", "", 6120), wanted);
  EXPECT_EQ(Iso("seconds since 1970-01-01 00:00:00 UTC", "", 821167200),
            wanted);
  EXPECT_EQ(Iso("milliseconds since 1996-01-09 06:00:00.0", "", 0), wanted);
  EXPECT_EQ(Iso("hour since 1996-01-05 01:00 +01:00", "", 102), wanted);
  EXPECT_EQ(Iso("Hours Since 1996 01 05 00:00", "", 102), wanted);
  EXPECT_EQ(Iso("hours since 1900-01-01 00:00:0.0", "gregorian", 841710),
            wanted);
  EXPECT_EQ(Iso("hours since 1-1-1 00:00:0.0", "standard", 17488038), wanted);
  EXPECT_EQ(Iso("days since 1995-12-30", "360_day", 9.25), wanted);
  // As cftime has them.
  EXPECT_EQ(Iso("days since 1582-10-01", "standard", 150935.25), wanted);
  EXPECT_EQ(Iso("days since 1850-03-01", "julian", 53275.25), wanted);
  EXPECT_EQ(Iso("days since 1850-03-01", "noleap", 53239.25), wanted);
  EXPECT_EQ(Iso("days since 1850-03-01", "all_leap", 53384.25), wanted);
  EXPECT_EQ(Iso("days since 1850-03-01", "360_day", 52508.25), wanted);
  EXPECT_EQ(Iso("6 hours since 1996-01-05", "", 17), wanted);
}

TEST(TimeUnits, CalendarsDifferWhereTheyShould) {
  EXPECT_EQ(Iso("days since 1996-02-28", "standard", 2), "1996-03-01T00Z");
  EXPECT_EQ(Iso("days since 1996-02-28", "noleap", 2), "1996-03-02T00Z");
  EXPECT_EQ(Iso("days since 1996-02-28", "360_day", 2), "1996-02-30T00Z");
  EXPECT_EQ(Iso("hours since 1996-01-01", "", 0.5), "1996-01-01T00:30Z");
}

TEST(TimeUnits, DoubtsAreErrors) {
  EXPECT_THAT(Iso("months since 1996-01-05", "", 1),
              HasSubstr("no fixed length"));
  EXPECT_THAT(Iso("years since 1996-01-05", "", 1),
              HasSubstr("no fixed length"));
  EXPECT_THAT(Iso("hours since yesterday", "", 1),
              HasSubstr("expected a date and time"));
  for (const char* bad : {"1996-13-05",
                          "1996-01-05 25:00",
                          "1996-01",
                          "1996",
                          "1996-02-30",
                          "1996-01-05 00:00 and more"}) {
    EXPECT_FALSE(ParseDateTime(bad, Calendar::kStandard).ok()) << bad;
  }
  EXPECT_THAT(Iso("parsecs since 1996-01-05", "", 1),
              HasSubstr("different things"));
  EXPECT_THAT(Iso("hours since 1996-01-05", "martian", 1),
              HasSubstr("martian"));
  EXPECT_THAT(Iso("hours since 1996-01-05", "", 1e300), HasSubstr("seconds"));
  EXPECT_THAT(Iso("seconds since 1996-01-05", "", 0.5), HasSubstr("whole"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
