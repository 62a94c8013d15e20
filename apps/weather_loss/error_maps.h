// Where the forecasts of pressure are wrong, for the report
// (monitor/report/map_section.cc has the format).

#ifndef GYRE_APPS_WEATHER_LOSS_ERROR_MAPS_H_
#define GYRE_APPS_WEATHER_LOSS_ERROR_MAPS_H_

#include <cstdint>
#include <span>

#include "apps/weather_loss/fields.h"
#include "gyre/core/io/json.h"
#include "gyre/core/tensor.h"

namespace gyre::weather {

// Root mean square errors of persistence and of the model, and the model's
// mean error, cell by cell over the pairs in which the cell is valid at both
// times; null where it never is. `forecasts` (pair, 6, lat, lon), as for
// ComputeSkill.
Json ErrorMaps(const Fields& fields,
               std::span<const std::int64_t> ids,
               const Tensor& forecasts);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_ERROR_MAPS_H_
