#include "gyre/core/clock.h"

#include <cstdio>
#include <ctime>

namespace gyre::internal::inline core {

std::int64_t NowNanos() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return ts.tv_sec * std::int64_t{1'000'000'000} + ts.tv_nsec;
}

std::string WallClock() {
  timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  tm utc;
  gmtime_r(&ts.tv_sec, &utc);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
  char text[48];
  std::snprintf(text, sizeof text, "%s.%03ldZ", date, ts.tv_nsec / 1'000'000);
  return text;
}

}  // namespace gyre::internal::inline core
