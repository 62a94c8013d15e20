// From packed numbers to values and a mask. Internal to the NetCDF reader.

#ifndef GYRE_APPS_WEATHER_LOSS_NETCDF_UNPACK_H_
#define GYRE_APPS_WEATHER_LOSS_NETCDF_UNPACK_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "apps/weather_loss/netcdf.h"

namespace gyre::weather::detail {

// How the values of one variable are packed in numbers of type T.
template <class T>
struct Packing {
  std::vector<T> fills;  // packed values that mean "missing"
  double scale = 1;
  double offset = 0;
};

// An attribute's number as a packed value. An integer type takes only what it
// holds exactly: a _FillValue of NaN on a short marks no value at all (and
// not 0, as libnetcdf's own conversion has it).
template <class T>
std::optional<T> AsPacked(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    constexpr int kBits = std::numeric_limits<T>::digits;
    const double limit = std::ldexp(1.0, kBits);
    const double lowest = std::is_signed_v<T> ? -limit : 0.0;
    if (!(value >= lowest && value < limit) || value != std::trunc(value)) {
      return std::nullopt;
    }
    return static_cast<T>(value);
  }
}

// Fills `field`; the position of the first value that is infinite, or -1.
template <class T>
std::int64_t Unpack(std::span<const T> packed,
                    const Packing<T>& packing,
                    MaskedField* field) {
  const std::span<float> values = field->values.data<float>();
  const std::span<std::uint8_t> mask = field->mask.data<std::uint8_t>();
  std::int64_t first_infinite = -1;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const T x = packed[i];
    bool missing = false;
    for (const T fill : packing.fills) missing = missing || x == fill;
    if constexpr (std::is_floating_point_v<T>) {
      missing = missing || std::isnan(x);
    }
    if (missing) continue;  // tensors start as zeros
    const auto value = static_cast<float>(
        static_cast<double>(x) * packing.scale + packing.offset);
    if (std::isinf(value) && first_infinite < 0) {
      first_infinite = static_cast<std::int64_t>(i);
    }
    values[i] = value;
    mask[i] = 1;
  }
  return first_infinite;
}

}  // namespace gyre::weather::detail

#endif  // GYRE_APPS_WEATHER_LOSS_NETCDF_UNPACK_H_
