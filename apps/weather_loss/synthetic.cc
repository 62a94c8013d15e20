#include "apps/weather_loss/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "gyre/core/rng.h"
#include "gyre/data/time/calendar.h"

namespace gyre::weather {

using namespace internal;

namespace {

constexpr std::int64_t kLats = 33;
constexpr std::int64_t kLons = 36;
constexpr std::int64_t kLows = 12;  // in kSyntheticSteps
constexpr double kDegree = std::numbers::pi / 180;
constexpr double kMetersPerDegree = 111.2e3;

// Streams of random numbers: one for the lows, one for each channel's noise.
constexpr std::uint32_t kLowStream = 100;

struct Low {
  double birth;  // day
  double life;   // days
  double lat;    // at birth
  double lon;
  double east;    // degrees a day
  double north;   // degrees a day
  double depth;   // Pa, at its deepest
  double radius;  // degrees of latitude
};

std::vector<Low> DrawLows(std::uint64_t seed, std::int64_t steps) {
  const Rng rng({.seed = seed, .stream = kLowStream});
  std::vector<Low> lows;
  std::uint64_t next = 0;
  const auto draw = [&](double from, double to) {
    return from + (to - from) * rng.Uniform(next++);
  };
  // One every two days or so, from before the first field on: there is never
  // a time without weather.
  const std::int64_t count =
      (kLows * steps + kSyntheticSteps - 1) / kSyntheticSteps;
  for (std::int64_t k = 0; k < count; ++k) {
    Low low;
    low.birth = 1.8 * static_cast<double>(k) - 4 + draw(-0.4, 0.4);
    low.life = draw(6, 8);
    low.lat = draw(32, 48);
    low.lon = draw(-148, -115);
    low.east = draw(8, 13);
    low.north = draw(0, 1.5);
    low.depth = draw(2000, 4500);
    low.radius = draw(4, 7);
    lows.push_back(low);
  }
  return lows;
}

// What one low does to a place at a time.
struct Effect {
  double dip = 0;    // Pa
  double dx = 0;     // east of its centre, in radii
  double dy = 0;     // north of it
  double slope = 0;  // dip / radius in Pa per m
};

Effect EffectOf(const Low& low, double day, double lat, double lon) {
  Effect effect;
  const double age = (day - low.birth) / low.life;
  if (age <= 0 || age >= 1) return effect;
  const double growth = std::pow(std::sin(std::numbers::pi * age), 2);
  const double days = day - low.birth;
  const double center_lat = low.lat + low.north * days;
  const double center_lon = low.lon + low.east * days;
  effect.dy = (lat - center_lat) / low.radius;
  effect.dx = (lon - center_lon) * std::cos(center_lat * kDegree) / low.radius;
  const double r2 = effect.dx * effect.dx + effect.dy * effect.dy;
  effect.dip = low.depth * growth * std::exp(-0.5 * r2);
  effect.slope = effect.dip / (low.radius * kMetersPerDegree);
  return effect;
}

// The six values of one cell, without noise.
std::array<double, kChannels> CellValues(const std::vector<Low>& lows,
                                         double day,
                                         double lat,
                                         double lon) {
  // Density and Coriolis parameter; friction takes a third of the wind.
  const double f = 1.458e-4 * std::sin(lat * kDegree);
  const double wind = 0.67 / (1.2 * f);

  double p = 102200 - 35 * (lat - 20);
  double dp_dx = 0;
  double dp_dy = -35 / kMetersPerDegree;
  double warmth = 0;
  double meander = 0;
  for (const Low& low : lows) {
    const Effect e = EffectOf(low, day, lat, lon);
    p -= e.dip;
    dp_dx += e.slope * e.dx;
    dp_dy += e.slope * e.dy;
    // South winds ahead of the low bring warm air, north winds behind cold.
    warmth += e.dip / 4000 * 15 * e.dx;
    meander += e.dip / 4000 * 25 * (e.dx + 0.4);
  }
  // Bounded: two lows that meet do not add up to a hurricane.
  const double u = std::clamp(-wind * dp_dy, -45.0, 45.0);
  const double v = std::clamp(wind * dp_dx, -45.0, 45.0);
  const double t = 299 - 0.85 * (lat - 20) + warmth;
  const double jet = 12 + 24 * std::exp(-std::pow((lat - 40) / 11, 2));
  return {std::max(p, 95000.0), t, u, v, jet + 0.5 * u, meander + 0.3 * v};
}

// The corners outside the (slanted) region of the storm data: 224 cells.
bool InCorner(std::int64_t row, std::int64_t column) {
  const std::int64_t missing = row < 28 ? 7 - row / 4 : 0;
  return column < missing || column >= kLons - missing;
}

// The fields that the storm data lacks as a whole.
bool WhollyMissing(std::int64_t t, int channel) {
  return (t == 17 && (channel == kT || channel == kV)) ||
         (t == 36 && channel == kV500) || (t == 37 && channel == kV);
}

// Those that there are: of a long series few of all.
std::vector<Low> LowsOf(const std::vector<Low>& lows, double day) {
  std::vector<Low> alive;
  for (const Low& low : lows) {
    if (day > low.birth && day < low.birth + low.life) alive.push_back(low);
  }
  return alive;
}

void FillStep(const std::vector<Low>& all,
              std::uint64_t seed,
              std::int64_t t,
              Fields* fields) {
  // Standard deviations of what no forecast can know.
  constexpr std::array<double, kChannels> kNoise = {
      40, 0.4, 0.5, 0.5, 0.7, 0.7};
  const std::span<float> values = fields->values.data<float>();
  const std::span<std::uint8_t> mask = fields->mask.data<std::uint8_t>();
  const double day = static_cast<double>(t) / 4;
  const std::vector<Low> lows = LowsOf(all, day);
  for (std::int64_t row = 0; row < kLats; ++row) {
    for (std::int64_t column = 0; column < kLons; ++column) {
      if (InCorner(row, column)) continue;
      const std::array<double, kChannels> cell =
          CellValues(lows, day, fields->lat[row], fields->lon[column]);
      for (int c = 0; c < kChannels; ++c) {
        if (WhollyMissing(t, c)) continue;
        const std::int64_t place = row * kLons + column;
        const Rng noise({.seed = seed,
                         .step = static_cast<std::uint64_t>(t),
                         .stream = static_cast<std::uint32_t>(c)});
        const std::int64_t i = (t * kChannels + c) * kLats * kLons + place;
        values[i] =
            static_cast<float>(cell[c] + kNoise[c] * noise.Normal(place));
        mask[i] = 1;
      }
    }
  }
}

}  // namespace

Fields SyntheticFields(std::uint64_t seed, std::int64_t steps) {
  Fields fields;
  const Shape shape({steps, kChannels, kLats, kLons});
  fields.values = Tensor::Zeros(shape);
  fields.mask = Tensor::Zeros(shape, DType::kU8);
  for (std::int64_t i = 0; i < kLats; ++i) {
    fields.lat.push_back(20 + 1.25 * static_cast<double>(i));
  }
  for (std::int64_t i = 0; i < kLons; ++i) {
    fields.lon.push_back(-140 + 2.5 * static_cast<double>(i));
  }
  fields.source = "synthetic";
  const std::vector<Low> lows = DrawLows(seed, steps);
  constexpr std::int64_t kFirstHour = 262968;  // 2000-01-01T00Z
  for (std::int64_t t = 0; t < steps; ++t) {
    fields.seconds.push_back(3600 * (kFirstHour + t * fields.step_hours));
    fields.times.push_back(IsoTime(fields.calendar, fields.seconds.back()));
    FillStep(lows, seed, t, &fields);
  }
  return fields;
}

}  // namespace gyre::weather
