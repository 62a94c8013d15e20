// The course of an excursion: how its signal went on after it left the band.

#ifndef GYRE_MONITOR_SPIKES_COURSE_H_
#define GYRE_MONITOR_SPIKES_COURSE_H_

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "gyre/monitor/spikes/excursion.h"
#include "gyre/monitor/spikes/trace.h"

namespace gyre::internal::inline monitor {

struct Course {
  std::size_t first = 0;
  std::size_t last = 0;     // the last row outside the band
  bool returned = false;    // back in the band afterwards
  bool restarted = false;   // the log went back to an earlier step
  bool ended = false;       // in one of these ways, or moved on
  bool ends_bad = false;    // its last values are not finite
  std::size_t values = 0;   // that were logged
  std::size_t bad = 0;      // of them, not finite
  std::size_t skipped = 0;  // rows that were not accepted
  double peak = 0;          // NaN if nothing was finite
  // Medians of the first, second and last third of the finite values, above
  // what the trend before it had led to expect; zero if there are too few.
  std::array<double, 3> thirds = {};
  std::array<double, 3> raw = {};  // the same above the level before it
  // The first values after a return, above the expected.
  double back = 0;
  double scale = 0;
  double level = 0;

  bool Grows() const;
  // The last third is as high as the one before it, and outside the band.
  bool Settles() const;
  // The last third is far below the first, and still falls.
  bool Recovers() const;
};

// Fewer finite values than these have no thirds.
inline constexpr std::size_t kFewestForThirds = 6;

Course CourseOf(const std::vector<TraceRow>& rows, const Excursion& excursion);

// The value as the detector sees it: the norm's logarithm.
double Scaled(double value, Signal signal);

// Finite values of a signal in rows [first, last], at most `most`: the newest
// ones if `newest`.
std::vector<double> FiniteValues(const std::vector<TraceRow>& rows,
                                 Signal signal,
                                 std::size_t first,
                                 std::size_t last,
                                 std::size_t most,
                                 bool newest);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_COURSE_H_
