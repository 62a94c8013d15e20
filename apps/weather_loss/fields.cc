#include "apps/weather_loss/fields.h"

#include <algorithm>

#include "gyre/core/hash.h"

namespace gyre::weather {

using namespace internal;

bool Fields::Present(std::int64_t t, int channel) const {
  const std::span<const std::uint8_t> valid = Mask(t, channel);
  return std::find(valid.begin(), valid.end(), 1) != valid.end();
}

std::vector<std::string> MissingFields(const Fields& fields) {
  std::vector<std::string> missing;
  for (std::int64_t t = 0; t < fields.steps(); ++t) {
    for (int c = 0; c < kChannels; ++c) {
      if (!fields.Present(t, c)) {
        missing.push_back(Cat(kChannelNames[c], " at step ", t));
      }
    }
  }
  return missing;
}

std::uint64_t DataHash(const Fields& fields) {
  const std::uint64_t values =
      Hash64(fields.values.raw(), fields.values.bytes());
  return Hash64(fields.mask.raw(), fields.mask.bytes(), values);
}

}  // namespace gyre::weather
