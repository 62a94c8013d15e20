// Median, and median absolute deviation: what outliers do not move.
//
//   MedianOf({1, 2, 900}) == 2
//   MadOf({1, 2, 900}, 2) == 1
//
// Both take their numbers by value, since they reorder them. Not a number is
// not allowed in; an empty set gives 0.

#ifndef GYRE_MONITOR_SPIKES_ROBUST_H_
#define GYRE_MONITOR_SPIKES_ROBUST_H_

#include <vector>

namespace gyre::internal::inline monitor {

// A normal distribution's standard deviation over its MAD.
inline constexpr double kMadToSigma = 1.4826;

double MedianOf(std::vector<double> values);
double MadOf(std::vector<double> values, double center);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_ROBUST_H_
