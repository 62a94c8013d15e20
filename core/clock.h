// Time: one monotonic clock for durations, one wall clock for records.

#ifndef GYRE_CORE_CLOCK_H_
#define GYRE_CORE_CLOCK_H_

#include <cstdint>
#include <string>

namespace gyre::internal::inline core {

// Nanoseconds since an arbitrary start, the same for all processes of a host.
std::int64_t NowNanos();

// "2026-11-29T17:04:05.123Z"
std::string WallClock();

class Stopwatch {
 public:
  double Seconds() const { return (NowNanos() - start_) * 1e-9; }
  void Restart() { start_ = NowNanos(); }

 private:
  std::int64_t start_ = NowNanos();
};

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_CLOCK_H_
