// Dates of the calendars that climate models live by.
//
//   GYRE_ASSIGN_OR_RETURN(const Calendar c, ParseCalendar("noleap"));
//   GYRE_ASSIGN_OR_RETURN(const std::int64_t day, DayNumber(c, {2000, 3, 1}));
//   DateOf(c, day);   // 2000-03-01
//
// Source: CF conventions 1.10, section 4.4.1.

#ifndef GYRE_DATA_TIME_CALENDAR_H_
#define GYRE_DATA_TIME_CALENDAR_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/core/status.h"

namespace gyre {

enum class Calendar {
  kStandard,  // Julian until 1582-10-04, Gregorian from 1582-10-15
  kProlepticGregorian,
  kJulian,
  kNoLeap,
  kAllLeap,
  k360Day,
};

std::string_view Name(Calendar calendar);

// "" is the standard one. Errors: a name that CF does not know, or "none".
StatusOr<Calendar> ParseCalendar(const std::string& name);

struct CalendarDate {
  std::int64_t year = 1970;
  int month = 1;
  int day = 1;

  friend bool operator==(const CalendarDate&, const CalendarDate&) = default;
};

// Days since 1970-01-01 of the same calendar; a Julian date has the number of
// the Gregorian date of the same day. Errors: no such date.
StatusOr<std::int64_t> DayNumber(Calendar calendar, const CalendarDate& date);
CalendarDate DateOf(Calendar calendar, std::int64_t day_number);

// "1996-01-09T06Z", with minutes and seconds where they are not 0.
std::string IsoTime(Calendar calendar, std::int64_t seconds_since_1970);

}  // namespace gyre

#endif  // GYRE_DATA_TIME_CALENDAR_H_
