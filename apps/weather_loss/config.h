// What weather_loss can be told.

#ifndef GYRE_APPS_WEATHER_LOSS_CONFIG_H_
#define GYRE_APPS_WEATHER_LOSS_CONFIG_H_

#include <cstdint>
#include <string>

#include "gyre/core/dtype.h"
#include "gyre/core/flags.h"
#include "gyre/core/status.h"
#include "gyre/optim/guard.h"

namespace gyre::weather {

struct Config {
  std::string data;  // a folder, "synthetic", or "" for the Debian package's
  std::string out = "runs/weather_loss";
  std::string forecasts;
  std::string loss = "storm";
  double lambda = 0.1;
  std::int64_t steps = 1500;
  std::int64_t batch = 4;
  double lr = 3e-3;
  std::int64_t warmup = 20;
  double clip = 10;
  std::int64_t hidden = 32;
  std::int64_t depth = 1;
  std::int64_t kernel = 5;
  std::int64_t seed = 1;
  std::string guard = "skip";
  std::int64_t max_skips = 10;
  std::string inject;
  std::string resume;
  std::int64_t checkpoint_every = 0;
  std::int64_t keep_checkpoints = 5;
  std::int64_t check_states_every = 16;
  std::string precision = "f32";
  std::int64_t micro_batches = 1;
  double spike = 0;
  std::int64_t telemetry_every = -1;
  bool watch_activations = false;
  bool json = false;
  bool explain = false;

  optim::Policy policy = optim::Policy::kSkip;  // of `guard`
  DType compute = DType::kF32;                  // of `precision`
};

// The flags, whose targets are in `config`.
Flags MakeFlags(Config& config);

// Holds the values against their ranges and fills in `policy`.
Status CheckConfig(Config& config);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_CONFIG_H_
