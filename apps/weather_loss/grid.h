// What share of the area a row of cells has.
//
//   GYRE_ASSIGN_OR_RETURN(const auto area, AreaWeights(fields.lat));
//
// A row reaches half-way to its neighbours, the outer rows as far out as in,
// but not beyond a pole: sin(upper) - sin(lower), divided by the mean over
// the rows. So regional grids are as welcome as global ones.

#ifndef GYRE_APPS_WEATHER_LOSS_GRID_H_
#define GYRE_APPS_WEATHER_LOSS_GRID_H_

#include <vector>

#include "gyre/core/status.h"

namespace gyre::weather {

// `lat` in degrees, rising or falling, evenly spaced or not; mean 1. A single
// row has weight 1. Errors: no rows, values beyond the poles (radians do not
// look like that, but meters do), not finite, or not in order.
StatusOr<std::vector<double>> AreaWeights(const std::vector<double>& lat);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_GRID_H_
