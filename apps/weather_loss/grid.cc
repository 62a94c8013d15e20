#include "apps/weather_loss/grid.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gyre/core/finite.h"

namespace gyre::weather {

using namespace internal;

namespace {

Status CheckLatitudes(const std::vector<double>& lat) {
  if (lat.empty()) return DataError("a grid needs one latitude or more");
  for (std::size_t i = 0; i < lat.size(); ++i) {
    if (!IsFinite(lat[i]) || std::abs(lat[i]) > 90) {
      return DataError("expected latitudes from -90 to 90 degrees, lat[",
                       i,
                       "] is ",
                       lat[i]);
    }
    if (i > 0 &&
        (lat[i] == lat[i - 1] || (lat[i] > lat[i - 1]) != (lat[1] > lat[0]))) {
      return DataError("expected latitudes that rise or fall throughout, ",
                       lat[i - 1],
                       " is followed by ",
                       lat[i],
                       " at lat[",
                       i,
                       "]");
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::vector<double>> AreaWeights(const std::vector<double>& lat) {
  GYRE_RETURN_IF_ERROR(CheckLatitudes(lat));
  const std::size_t n = lat.size();
  if (n == 1) return std::vector<double>{1.0};

  std::vector<double> bounds(n + 1);
  bounds[0] = lat[0] - (lat[1] - lat[0]) / 2;
  for (std::size_t i = 1; i < n; ++i) bounds[i] = (lat[i - 1] + lat[i]) / 2;
  bounds[n] = lat[n - 1] + (lat[n - 1] - lat[n - 2]) / 2;

  std::vector<double> weights(n);
  double sum = 0;
  for (double& bound : bounds) {
    bound = std::sin(std::clamp(bound, -90.0, 90.0) * std::numbers::pi / 180);
  }
  for (std::size_t i = 0; i < n; ++i) {
    weights[i] = std::abs(bounds[i + 1] - bounds[i]);
    sum += weights[i];
  }
  for (double& weight : weights) weight *= static_cast<double>(n) / sum;
  return weights;
}

}  // namespace gyre::weather
