// The six fields from files of somebody else's, by a configuration
// (data/dataset/dataset_config.h) whose channels are p, t, u, v, u500 and v500.
//
//   GYRE_ASSIGN_OR_RETURN(const Fields fields,
//   LoadConfiguredData("era5.toml"));

#ifndef GYRE_APPS_WEATHER_LOSS_CONFIGURED_DATA_H_
#define GYRE_APPS_WEATHER_LOSS_CONFIGURED_DATA_H_

#include <string>

#include "apps/weather_loss/fields.h"
#include "gyre/core/status.h"

namespace gyre::weather {

// A channel's unit and range may be left out: they are those of the app. The
// training period comes first, then that of the test. Errors: other channels,
// other units, and what LoadDataset refuses.
StatusOr<Fields> LoadConfiguredData(const std::string& path);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_CONFIGURED_DATA_H_
