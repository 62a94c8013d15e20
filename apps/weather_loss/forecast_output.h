// The forecasts of the test days as a CF NetCDF file.

#ifndef GYRE_APPS_WEATHER_LOSS_FORECAST_OUTPUT_H_
#define GYRE_APPS_WEATHER_LOSS_FORECAST_OUTPUT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apps/weather_loss/fields.h"
#include "gyre/core/status.h"
#include "gyre/core/tensor.h"

namespace gyre::weather {

// `forecasts` (pair, 6, lat, lon) of the pairs `ids`, each of which starts
// from step id. A cell that had no value at the start is missing. `run`: what
// tells which run made it, as attributes.
Status WriteForecasts(
    const std::string& path,
    const Fields& fields,
    const std::vector<std::int64_t>& ids,
    const Tensor& forecasts,
    const std::vector<std::pair<std::string, std::string>>& run);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_FORECAST_OUTPUT_H_
