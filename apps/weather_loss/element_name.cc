#include "apps/weather_loss/element_name.h"

#include <cmath>

#include "gyre/core/status.h"

namespace gyre::weather {

using namespace internal;

namespace {

std::string VariableOf(std::int64_t channels, std::int64_t channel) {
  if (channels == 1) return std::string(kChannelNames[kP]);
  if (channels == kChannels) return std::string(kChannelNames[channel]);
  return Cat("channel ", channel);
}

}  // namespace

std::string PlaceName(double lat, double lon) {
  const double east = std::remainder(lon, 360);
  return Cat(std::abs(lat),
             lat < 0 ? "S" : "N",
             " ",
             std::abs(east),
             east < 0 ? "W" : "E");
}

std::string ElementName(const Fields& fields,
                        std::int64_t sample,
                        std::string_view tensor,
                        const Shape& shape,
                        std::int64_t element) {
  const bool on_grid = shape.rank() == 3 && shape[1] == fields.lats() &&
                       shape[2] == fields.lons() && element >= 0 &&
                       element < shape.elements();
  const bool now = tensor == "input" || tensor == "slp_now";
  const std::int64_t t = now ? sample : sample + 1;
  if (!on_grid || t < 0 || t >= fields.steps()) return "";
  const std::int64_t cell = element % fields.cells();
  return Cat(VariableOf(shape[0], element / fields.cells()),
             " at ",
             PlaceName(fields.lat[cell / fields.lons()],
                       fields.lon[cell % fields.lons()]),
             ", valid ",
             fields.times[t]);
}

}  // namespace gyre::weather
