// Where the ticks of an axis stand, and what they say.
//
//   const Axis y = Axis::Linear(0.13, 0.97);   // 0 to 1, ticks at 0, 0.2, ...
//   y.Place(0.5)                               // 0.5: the middle
//
// Ticks are at 1, 2 or 5 times a power of ten. A logarithmic axis is for
// positive values; others are placed at its lower end.

#ifndef GYRE_MONITOR_REPORT_AXIS_H_
#define GYRE_MONITOR_REPORT_AXIS_H_

#include <string>
#include <vector>

namespace gyre::internal::inline monitor {

class Axis {
 public:
  // Rounded outwards to whole ticks.
  static Axis Linear(double low, double high);
  static Axis Log(double low, double high);
  // Not rounded: for steps.
  static Axis Exact(double low, double high);

  // 0 at the low end, 1 at the high one; values beyond are drawn at the end.
  double Place(double value) const;
  const std::vector<double>& ticks() const { return ticks_; }
  bool log() const { return log_; }

  static std::string Label(double tick);

 private:
  double low_ = 0;
  double high_ = 1;
  bool log_ = false;
  std::vector<double> ticks_;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_REPORT_AXIS_H_
