// Times of fields: a reference time and hours after it.

#ifndef GYRE_APPS_WEATHER_LOSS_VALID_TIME_H_
#define GYRE_APPS_WEATHER_LOSS_VALID_TIME_H_

#include <cstdint>
#include <string>

#include "gyre/core/status.h"

namespace gyre::weather {

// Hours since 1970-01-01T00Z of a text like "1996 01 05 00:00". Blanks and
// zero bytes at its end are ignored; minutes must be 0.
StatusOr<std::int64_t> ParseReferenceTime(const std::string& text);

// "1996-01-09T06Z"
std::string IsoHour(std::int64_t hours_since_1970);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_VALID_TIME_H_
