#include "gyre/monitor/spikes/robust.h"

#include <algorithm>
#include <cmath>

namespace gyre::internal::inline monitor {

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + half, values.end());
  if (values.size() % 2 == 1) return values[half];
  const double below = *std::max_element(values.begin(), values.begin() + half);
  return below + (values[half] - below) / 2;
}

double MadOf(std::vector<double> values, double center) {
  for (double& value : values) value = std::abs(value - center);
  return MedianOf(std::move(values));
}

}  // namespace gyre::internal::inline monitor
