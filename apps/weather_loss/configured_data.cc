#include "apps/weather_loss/configured_data.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gyre/data/dataset/dataset.h"
#include "gyre/data/time/units.h"

namespace gyre::weather {

using namespace internal;

namespace {

constexpr int kHourSeconds = 3600;

// The channels in the app's order, each with the app's unit.
StatusOr<DatasetConfig> InOrder(DatasetConfig config) {
  std::vector<ChannelConfig> ordered;
  for (int c = 0; c < kChannels; ++c) {
    const std::string unit(kChannelUnits[c]);
    const auto found = std::find_if(
        config.channels.begin(), config.channels.end(), [&](const auto& one) {
          return one.name == kChannelNames[c];
        });
    if (found == config.channels.end()) {
      return ConfigError(config.path,
                         ": expected the channels p, t, u, v, u500 and v500, "
                         "there is no [[channel]] with name = \"",
                         kChannelNames[c],
                         "\"");
    }
    if (!found->units.empty()) {
      GYRE_ASSIGN_OR_RETURN(const UnitConversion same,
                            ConvertUnits(found->units, unit));
      if (!same.identity()) {
        return ConfigError(config.path,
                           ": channel ",
                           found->name,
                           ": units must be ",
                           unit,
                           ", which weather_loss computes in; the file's own "
                           "unit is converted");
      }
    }
    found->units = unit;
    const ValueRange& range = kChannelRanges[c];
    if (std::isinf(found->lowest)) {
      found->lowest = range.lowest;
      found->highest = range.highest;
    }
    ordered.push_back(*found);
  }
  if (config.channels.size() != ordered.size()) {
    return ConfigError(
        config.path,
        ": expected the channels p, t, u, v, u500 and v500, got ",
        config.channels.size(),
        " of them");
  }
  config.channels = std::move(ordered);
  return config;
}

Status CheckPeriods(const std::string& path, const GriddedData& data) {
  if (data.test.size() == 0) {
    return ConfigError(path,
                       ": [periods]: expected test = [\"FIRST\", \"LAST\"]");
  }
  if (data.train.begin != 0 || data.test.begin < data.train.end) {
    return ConfigError(path,
                       ": [periods]: expected train before validation and "
                       "test, without a time in two of them");
  }
  if (data.step_seconds % kHourSeconds != 0) {
    return DataError(path,
                     ": expected time steps of whole hours, got ",
                     data.step_seconds,
                     " s");
  }
  return OkStatus();
}

}  // namespace

StatusOr<Fields> LoadConfiguredData(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(DatasetConfig config, ReadDatasetConfig(path));
  GYRE_ASSIGN_OR_RETURN(config, InOrder(std::move(config)));
  GYRE_ASSIGN_OR_RETURN(const GriddedData data, LoadDataset(config));
  GYRE_RETURN_IF_ERROR(CheckPeriods(path, data));
  Fields fields;
  fields.values = data.values;
  fields.mask = data.mask;
  fields.lat = data.lat;
  fields.lon = data.lon;
  fields.seconds = data.seconds;
  fields.calendar = data.calendar;
  for (const std::int64_t second : data.seconds) {
    fields.times.push_back(IsoTime(data.calendar, second));
  }
  fields.step_hours = static_cast<int>(data.step_seconds / kHourSeconds);
  fields.source = path;
  fields.notes = data.notes;
  fields.train_steps = data.train.size();
  fields.test_begin = data.test.begin;
  fields.test_end = data.test.end;
  return fields;
}

}  // namespace gyre::weather
