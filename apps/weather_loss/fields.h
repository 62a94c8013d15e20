// The data of the example: six fields on one grid, one time after the other,
// with an explicit mask of what is missing.

#ifndef GYRE_APPS_WEATHER_LOSS_FIELDS_H_
#define GYRE_APPS_WEATHER_LOSS_FIELDS_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/tensor.h"
#include "gyre/data/time/calendar.h"

namespace gyre::weather {

// The order of the channels, everywhere.
enum Channel { kP, kT, kU, kV, kU500, kV500 };
inline constexpr int kChannels = 6;
inline constexpr std::array<std::string_view, kChannels> kChannelNames = {
    "p", "t", "u", "v", "u500", "v500"};
inline constexpr std::array<std::string_view, kChannels> kChannelUnits = {
    "Pa", "K", "m/s", "m/s", "m/s", "m/s"};

// No value on Earth lies outside, in the units above.
struct ValueRange {
  float lowest;
  float highest;
};
inline constexpr std::array<ValueRange, kChannels> kChannelRanges = {
    {{8.0e4f, 1.1e5f},
     {150, 350},
     {-150, 150},
     {-150, 150},
     {-150, 150},
     {-150, 150}}};

struct Fields {
  Tensor values;            // (time, channel, lat, lon), f32; 0 where missing
  Tensor mask;              // (time, channel, lat, lon), u8; 1 valid, 0 missing
  std::vector<double> lat;  // degrees north
  std::vector<double> lon;  // degrees east
  std::vector<std::string> times;     // "1996-01-05T00Z"
  std::vector<std::int64_t> seconds;  // the same, since 1970-01-01
  Calendar calendar = Calendar::kStandard;
  int step_hours = 6;
  std::string source;              // a folder, or "synthetic"
  std::vector<std::string> notes;  // what was converted on the way in
  // Of a configuration: the steps that train, and those that test; 0: as
  // TrainSteps has it, and all that follow.
  std::int64_t train_steps = 0;
  std::int64_t test_begin = 0;
  std::int64_t test_end = 0;

  std::int64_t steps() const { return values.shape()[0]; }
  std::int64_t lats() const { return values.shape()[2]; }
  std::int64_t lons() const { return values.shape()[3]; }
  std::int64_t cells() const { return lats() * lons(); }

  // One field: `cells()` numbers, row by row of latitude.
  std::span<const float> Values(std::int64_t t, int channel) const {
    return values.data<float>().subspan(Offset(t, channel), cells());
  }
  std::span<const std::uint8_t> Mask(std::int64_t t, int channel) const {
    return mask.data<std::uint8_t>().subspan(Offset(t, channel), cells());
  }

  // Does the field hold any valid cell?
  bool Present(std::int64_t t, int channel) const;

 private:
  std::size_t Offset(std::int64_t t, int channel) const {
    return static_cast<std::size_t>((t * kChannels + channel) * cells());
  }
};

// The fields that are missing as a whole: "t at step 17", ...
std::vector<std::string> MissingFields(const Fields& fields);

// Of values and mask: a run directory names the data it was trained on.
std::uint64_t DataHash(const Fields& fields);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_FIELDS_H_
