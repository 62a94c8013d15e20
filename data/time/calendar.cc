#include "gyre/data/time/calendar.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

namespace gyre {

namespace {

constexpr std::int64_t kGregorianStart = -141427;  // 1582-10-15
constexpr std::int64_t kFirstYear = -100'000;
constexpr std::int64_t kLastYear = 100'000;

std::int64_t FloorDivide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// Days since 1970-01-01 (Gregorian) of a date whose year begins in March.
std::int64_t FromParts(Calendar calendar, const CalendarDate& date) {
  const std::int64_t y = date.year - (date.month <= 2 ? 1 : 0);
  const std::int64_t day_of_year =
      (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  const std::int64_t days = 365 * y + FloorDivide(y, 4) + day_of_year;
  if (calendar == Calendar::kJulian) return days - 719'470;
  return days - FloorDivide(y, 100) + FloorDivide(y, 400) - 719'468;
}

int MonthLength(Calendar calendar, std::int64_t year, int month) {
  if (calendar == Calendar::k360Day) return 30;
  constexpr std::array<int, 12> kLengths = {
      31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month != 2) return kLengths[static_cast<std::size_t>(month - 1)];
  const auto divides = [year](std::int64_t n) { return year % n == 0; };
  switch (calendar) {
    case Calendar::kNoLeap:
      return 28;
    case Calendar::kAllLeap:
      return 29;
    case Calendar::kJulian:
      return divides(4) ? 29 : 28;
    case Calendar::kStandard:
      if (year < 1582) return divides(4) ? 29 : 28;
      [[fallthrough]];
    default:
      return divides(4) && (!divides(100) || divides(400)) ? 29 : 28;
  }
}

// Days before the month, in calendars whose years are all alike.
std::int64_t DaysBefore(Calendar calendar, int month) {
  std::int64_t days = 0;
  for (int m = 1; m < month; ++m) days += MonthLength(calendar, 1, m);
  return days;
}

// 0: the years of the calendar differ.
std::int64_t YearLength(Calendar calendar) {
  switch (calendar) {
    case Calendar::kNoLeap:
      return 365;
    case Calendar::kAllLeap:
      return 366;
    case Calendar::k360Day:
      return 360;
    default:
      return 0;
  }
}

// The parts of a day number in the two calendars of Rome.
CalendarDate RomanDate(Calendar calendar, std::int64_t number) {
  // A guess that is at most one year off, then the months.
  std::int64_t year = 1970 + FloorDivide(number, 366) - 1;
  const auto begin = [&](std::int64_t y) {
    return FromParts(calendar, {y, 1, 1});
  };
  while (begin(year + 1) <= number) {
    year += std::max<std::int64_t>(1, (number - begin(year + 1)) / 366);
  }
  while (begin(year) > number) --year;
  CalendarDate date = {year, 1, 1};
  while (date.month < 12 &&
         FromParts(calendar, {year, date.month + 1, 1}) <= number) {
    ++date.month;
  }
  date.day = static_cast<int>(number - FromParts(calendar, date)) + 1;
  return date;
}

}  // namespace

std::string_view Name(Calendar calendar) {
  switch (calendar) {
    case Calendar::kStandard:
      return "standard";
    case Calendar::kProlepticGregorian:
      return "proleptic_gregorian";
    case Calendar::kJulian:
      return "julian";
    case Calendar::kNoLeap:
      return "noleap";
    case Calendar::kAllLeap:
      return "all_leap";
    case Calendar::k360Day:
      return "360_day";
  }
  return "";
}

StatusOr<Calendar> ParseCalendar(const std::string& name) {
  constexpr std::pair<std::string_view, Calendar> kNames[] = {
      {"", Calendar::kStandard},
      {"standard", Calendar::kStandard},
      {"gregorian", Calendar::kStandard},
      {"proleptic_gregorian", Calendar::kProlepticGregorian},
      {"julian", Calendar::kJulian},
      {"noleap", Calendar::kNoLeap},
      {"365_day", Calendar::kNoLeap},
      {"all_leap", Calendar::kAllLeap},
      {"366_day", Calendar::kAllLeap},
      {"360_day", Calendar::k360Day}};
  std::string lower = name;
  for (char& c : lower) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const auto& [known, calendar] : kNames) {
    if (lower == known) return calendar;
  }
  return DataError("the calendar \"",
                   name,
                   "\" is none of standard, gregorian, proleptic_gregorian, "
                   "julian, noleap, 365_day, all_leap, 366_day and 360_day: "
                   "correct the attribute calendar");
}

StatusOr<std::int64_t> DayNumber(Calendar calendar, const CalendarDate& date) {
  const auto no_such_date = [&] {
    return DataError("there is no ",
                     date.year,
                     "-",
                     date.month,
                     "-",
                     date.day,
                     " in the calendar ",
                     Name(calendar));
  };
  const bool roman =
      calendar == Calendar::kStandard || calendar == Calendar::kJulian;
  if (date.year < kFirstYear || date.year > kLastYear || date.month < 1 ||
      date.month > 12 || date.day < 1 ||
      date.day > MonthLength(calendar, date.year, date.month) ||
      (roman && date.year == 0)) {
    return no_such_date();
  }
  if (const std::int64_t length = YearLength(calendar); length > 0) {
    return (date.year - 1970) * length + DaysBefore(calendar, date.month) +
           date.day - 1;
  }
  if (calendar != Calendar::kStandard) return FromParts(calendar, date);
  const std::int64_t gregorian = FromParts(Calendar::kProlepticGregorian, date);
  if (gregorian >= kGregorianStart) return gregorian;
  const std::int64_t julian = FromParts(Calendar::kJulian, date);
  if (julian >= kGregorianStart) return no_such_date();  // the ten days of 1582
  return julian;
}

CalendarDate DateOf(Calendar calendar, std::int64_t day_number) {
  if (const std::int64_t length = YearLength(calendar); length > 0) {
    CalendarDate date = {1970 + FloorDivide(day_number, length), 12, 1};
    const std::int64_t day = day_number - (date.year - 1970) * length;
    while (DaysBefore(calendar, date.month) > day) --date.month;
    date.day = static_cast<int>(day - DaysBefore(calendar, date.month)) + 1;
    return date;
  }
  if (calendar == Calendar::kStandard) {
    calendar = day_number >= kGregorianStart ? Calendar::kProlepticGregorian
                                             : Calendar::kJulian;
  }
  return RomanDate(calendar, day_number);
}

std::string IsoTime(Calendar calendar, std::int64_t seconds_since_1970) {
  const std::int64_t number = FloorDivide(seconds_since_1970, 86'400);
  const int second = static_cast<int>(seconds_since_1970 - number * 86'400);
  const CalendarDate date = DateOf(calendar, number);
  char text[80];
  int used = std::snprintf(text,
                           sizeof text,
                           "%04lld-%02d-%02dT%02d",
                           static_cast<long long>(date.year),
                           date.month,
                           date.day,
                           second / 3600);
  const auto more = [&](int part) {
    used += std::snprintf(text + used, sizeof text - used, ":%02d", part);
  };
  if (second % 3600 != 0) more(second / 60 % 60);
  if (second % 60 != 0) more(second % 60);
  return std::string(text, static_cast<std::size_t>(used)) + "Z";
}

}  // namespace gyre
