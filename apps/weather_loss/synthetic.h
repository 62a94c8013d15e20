// Fields that need no files: lows that form in the west, deepen, cross the
// grid and fill, on the grid and with the gaps of the storm data.
//
//   const Fields fields = SyntheticFields(/*seed=*/7);
//
// A pure function of the seed and the length. Pressure is a meridional
// gradient minus one bell for each low; winds at the surface are the
// geostrophic ones of that pressure, slowed by friction; the temperature has a
// warm sector ahead of each low; the winds at 500 hPa are a jet that meanders
// with the lows.
//
// WARNING 1: it looks like weather enough to test a program, not to judge a
// model: skill on it says nothing about skill on real data.

#ifndef GYRE_APPS_WEATHER_LOSS_SYNTHETIC_H_
#define GYRE_APPS_WEATHER_LOSS_SYNTHETIC_H_

#include <cstdint>

#include "apps/weather_loss/fields.h"

namespace gyre::weather {

// As many steps as the storm data has.
inline constexpr std::int64_t kSyntheticSteps = 64;

// Of a longer series the beginning is the same.
Fields SyntheticFields(std::uint64_t seed,
                       std::int64_t steps = kSyntheticSteps);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_SYNTHETIC_H_
