// The example's network: what changes in six hours, from the fields now.

#ifndef GYRE_APPS_WEATHER_LOSS_MODEL_H_
#define GYRE_APPS_WEATHER_LOSS_MODEL_H_

#include <cstdint>

#include "apps/weather_loss/losses.h"
#include "gyre/models/params.h"

namespace gyre::weather {

// hidden layers of kernel x kernel convolutions and tanh, then a 1 x 1
// convolution to the six channels. That output is the tendency, in units of
// its spread; it starts at zero, so training starts at persistence.
struct StormNet {
  std::int64_t hidden = 32;
  std::int64_t depth = 1;
  std::int64_t kernel = 5;
  Constants constants;  // "tendency_scale"

  // The normalised fields in six hours, (batch, 6, lat, lon).
  Var operator()(Params& params, const BatchVars& batch) const;
};

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_MODEL_H_
