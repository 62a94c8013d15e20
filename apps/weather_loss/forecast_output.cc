#include "apps/weather_loss/forecast_output.h"

#include <algorithm>
#include <memory>

#include "gyre/data/netcdf/forecast_file.h"

namespace gyre::weather {

using namespace internal;

namespace {

constexpr std::array<const char*, kChannels> kStandardNames = {
    "air_pressure_at_mean_sea_level",
    "air_temperature",
    "eastward_wind",
    "northward_wind",
    "eastward_wind",
    "northward_wind"};

// The masks of the fields that the forecasts start from.
Tensor StartMask(const Fields& fields, const std::vector<std::int64_t>& ids) {
  Tensor mask(DType::kU8,
              Shape({static_cast<std::int64_t>(ids.size()),
                     kChannels,
                     fields.lats(),
                     fields.lons()}));
  auto to = mask.data<std::uint8_t>().begin();
  for (const std::int64_t id : ids) {
    for (int c = 0; c < kChannels; ++c) {
      const auto from = fields.Mask(id, c);
      to = std::copy(from.begin(), from.end(), to);
    }
  }
  return mask;
}

}  // namespace

Status WriteForecasts(
    const std::string& path,
    const Fields& fields,
    const std::vector<std::int64_t>& ids,
    const Tensor& forecasts,
    const std::vector<std::pair<std::string, std::string>>& run) {
  ForecastLayout layout;
  for (int c = 0; c < kChannels; ++c) {
    const std::string_view name = kChannelNames[c];
    const bool aloft = name.ends_with("500");
    layout.channels.push_back(
        {std::string(name),
         std::string(kChannelUnits[c]),
         kStandardNames[c],
         Cat("forecast of ", name, aloft ? ", at 500 hPa" : "")});
  }
  layout.lat = fields.lat;
  layout.lon = fields.lon;
  layout.calendar = fields.calendar;
  layout.lead_seconds = std::int64_t{3600} * fields.step_hours;
  layout.attributes = run;
  std::vector<std::int64_t> starts;
  for (const std::int64_t id : ids) {
    starts.push_back(fields.seconds[static_cast<std::size_t>(id)]);
  }
  GYRE_ASSIGN_OR_RETURN(const std::unique_ptr<ForecastFile> file,
                        ForecastFile::Create(path, layout));
  GYRE_RETURN_IF_ERROR(file->Append(forecasts, StartMask(fields, ids), starts));
  return file->Finish();
}

}  // namespace gyre::weather
