// Fields of a few cells whose every number a test can know.

#ifndef GYRE_TESTS_APPS_WEATHER_LOSS_SMALL_FIELDS_H_
#define GYRE_TESTS_APPS_WEATHER_LOSS_SMALL_FIELDS_H_

#include <cstdint>
#include <functional>

#include "apps/weather_loss/fields.h"
#include "gyre/data/time/calendar.h"

namespace gyre::weather {

using namespace internal;

// All cells valid; value(t, channel, cell) gives the numbers. The rows lie
// on 10 N and 50 N.
inline Fields SmallFields(
    std::int64_t steps,
    std::int64_t lons,
    const std::function<float(std::int64_t, int, std::int64_t)>& value) {
  Fields fields;
  const Shape shape({steps, kChannels, 2, lons});
  fields.values = Tensor::Zeros(shape);
  fields.mask = Tensor::Zeros(shape, DType::kU8);
  fields.lat = {10, 50};
  for (std::int64_t i = 0; i < lons; ++i) fields.lon.push_back(2.5 * i);
  fields.source = "small";
  std::size_t k = 0;
  for (std::int64_t t = 0; t < steps; ++t) {
    fields.times.push_back(IsoTime(Calendar::kStandard, 3600 * 6 * t));
    for (int c = 0; c < kChannels; ++c) {
      for (std::int64_t cell = 0; cell < 2 * lons; ++cell, ++k) {
        fields.values.data<float>()[k] = value(t, c, cell);
        fields.mask.data<std::uint8_t>()[k] = 1;
      }
    }
  }
  return fields;
}

// Takes a cell away: missing, and 0.
inline void Remove(Fields* fields, std::int64_t t, int c, std::int64_t cell) {
  const std::int64_t i = (t * kChannels + c) * fields->cells() + cell;
  fields->values.data<float>()[i] = 0;
  fields->mask.data<std::uint8_t>()[i] = 0;
}
inline void RemoveField(Fields* fields, std::int64_t t, int c) {
  for (std::int64_t i = 0; i < fields->cells(); ++i) Remove(fields, t, c, i);
}

}  // namespace gyre::weather

#endif  // GYRE_TESTS_APPS_WEATHER_LOSS_SMALL_FIELDS_H_
