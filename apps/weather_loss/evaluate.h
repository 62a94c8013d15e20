// Forecasts of the test pairs, made by all ranks together.

#ifndef GYRE_APPS_WEATHER_LOSS_EVALUATE_H_
#define GYRE_APPS_WEATHER_LOSS_EVALUATE_H_

#include <cstdint>
#include <vector>

#include "apps/weather_loss/batch.h"
#include "gyre/train/step/train_step.h"

namespace gyre::weather {

// (pair, 6, lat, lon) in Pa, K, m/s, on every rank. The training plan's own
// forward part runs, in batches of `per_rank` pairs; the last is filled up
// with the last pair. Collective.
StatusOr<Tensor> Forecast(TrainStep& step,
                          const BatchBuilder& builder,
                          const std::vector<std::int64_t>& ids,
                          std::int64_t per_rank);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_EVALUATE_H_
