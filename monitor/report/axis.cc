#include "gyre/monitor/report/axis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gyre::internal::inline monitor {
namespace {

constexpr int kWantedTicks = 5;

// 1, 2 or 5 times a power of ten.
double NiceSpacing(double span) {
  const double raw = span / kWantedTicks;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double lead = raw / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

// An axis needs some length, whatever the data are.
void Widen(double& low, double& high) {
  if (!(high > low)) {
    const double half = std::max(std::abs(low) * 0.05, 1e-9);
    low -= half;
    high += half;
  }
}

}  // namespace

Axis Axis::Linear(double low, double high) {
  Widen(low, high);
  Axis axis;
  const double spacing = NiceSpacing(high - low);
  const double first = std::floor(low / spacing + 1e-9);
  const double last = std::ceil(high / spacing - 1e-9);
  axis.low_ = first * spacing;
  axis.high_ = last * spacing;
  for (double i = first; i <= last; ++i) axis.ticks_.push_back(i * spacing);
  return axis;
}

Axis Axis::Log(double low, double high) {
  low = std::max(low, 1e-300);
  high = std::max(high, low);
  double first = std::floor(std::log10(low));
  double last = std::ceil(std::log10(high));
  if (last <= first) last = first + 1;
  Axis axis;
  axis.log_ = true;
  axis.low_ = std::pow(10, first);
  axis.high_ = std::pow(10, last);
  const double every = std::ceil((last - first) / 6);
  for (double i = first; i <= last; i += every) {
    axis.ticks_.push_back(std::pow(10, i));
  }
  return axis;
}

Axis Axis::Exact(double low, double high) {
  if (!(high > low)) high = low + 1;
  Axis axis;
  axis.low_ = low;
  axis.high_ = high;
  const double spacing = std::max(1.0, NiceSpacing(high - low));
  for (double i = std::ceil(low / spacing); i * spacing <= high; ++i) {
    axis.ticks_.push_back(i * spacing);
  }
  return axis;
}

double Axis::Place(double value) const {
  if (log_) {
    if (!(value > low_)) return 0;
    return std::min(std::log(value / low_) / std::log(high_ / low_), 1.0);
  }
  return std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
}

std::string Axis::Label(double tick) {
  char text[32];
  if (std::abs(tick) < 1e-12) return "0";
  std::snprintf(text, sizeof text, "%.4g", tick);
  return text;
}

}  // namespace gyre::internal::inline monitor
