// Times of a file: "hours since 1996-01-05 00:00" and a calendar.
//
//   GYRE_ASSIGN_OR_RETURN(const TimeUnits units,
//                         ParseTimeUnits("days since 1996-01-05", "noleap"));
//   GYRE_ASSIGN_OR_RETURN(const std::int64_t seconds, units.Seconds(0.25));
//   IsoTime(units.calendar, seconds);   // "1996-01-05T06Z"
//
// WARNING 1: months and years are refused: udunits' are 30.4 and 365.24 days,
// and their writers meant calendar months.

#ifndef GYRE_DATA_TIME_TIME_AXIS_H_
#define GYRE_DATA_TIME_TIME_AXIS_H_

#include <cstdint>
#include <string>

#include "gyre/core/status.h"
#include "gyre/data/time/calendar.h"

namespace gyre::internal::inline data {

struct TimeUnits {
  double seconds_per_unit = 1;
  std::int64_t reference = 0;  // seconds since 1970-01-01 of the calendar
  Calendar calendar = Calendar::kStandard;

  // Seconds since 1970-01-01. Errors: not finite, or no whole second.
  StatusOr<std::int64_t> Seconds(double value) const;
};

// Does the text look like units of a time ("... since ...")?
bool AreTimeUnits(const std::string& units);

StatusOr<TimeUnits> ParseTimeUnits(const std::string& units,
                                   const std::string& calendar);

// "1996-01-05 06:00:00", with parts left out from the right; "T" for the
// blank; a zone ("Z", "UTC", "+01:00", "-6") that is taken off; or blanks for
// the dashes. In seconds since 1970.
StatusOr<std::int64_t> ParseDateTime(const std::string& text,
                                     Calendar calendar);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_TIME_TIME_AXIS_H_
