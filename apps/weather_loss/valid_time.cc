#include "apps/weather_loss/valid_time.h"

#include <chrono>
#include <cstdio>

namespace gyre::weather {

using namespace internal;

namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

}  // namespace

StatusOr<std::int64_t> ParseReferenceTime(const std::string& text) {
  const std::string trimmed =
      text.substr(0, text.find_last_not_of(std::string(" \0\n", 3)) + 1);
  int y = 0;
  unsigned mon = 0;
  unsigned d = 0;
  unsigned h = 0;
  unsigned min = 0;
  int used = 0;
  const int parts = std::sscanf(
      trimmed.c_str(), "%4d %2u %2u %2u:%2u%n", &y, &mon, &d, &h, &min, &used);
  const year_month_day date{year(y), month(mon), day(d)};
  if (parts != 5 || used != static_cast<int>(trimmed.size()) || !date.ok() ||
      h > 23 || min != 0) {
    return DataError(
        "expected a reference time like \"1996 01 05 00:00\", got \"",
        trimmed,
        "\"");
  }
  const std::int64_t day_number = sys_days(date).time_since_epoch().count();
  return day_number * 24 + h;
}

std::string IsoHour(std::int64_t hours_since_1970) {
  std::int64_t day_number = hours_since_1970 / 24;
  std::int64_t hour = hours_since_1970 % 24;
  if (hour < 0) {
    hour += 24;
    --day_number;
  }
  const year_month_day date{sys_days(days(day_number))};
  char text[48];
  std::snprintf(text,
                sizeof text,
                "%04d-%02u-%02uT%02dZ",
                static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()),
                static_cast<int>(hour));
  return text;
}

}  // namespace gyre::weather
