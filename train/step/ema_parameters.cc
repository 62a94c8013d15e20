#include "gyre/train/step/ema_parameters.h"

#include <optional>

#include "gyre/optim/ema.h"

namespace gyre::internal::inline train {

StatusOr<std::vector<float>> MeanParameters(const TrainState& state) {
  const std::optional<optim::EmaPlace> place = state.optimizer().Ema();
  if (!place.has_value()) {
    return ConfigError(
        "use_ema: the optimizer keeps no mean of the parameters: end its chain "
        "with optim::TrackEma{}");
  }
  if (state.shards().on()) {
    return ConfigError(
        "use_ema: with shard_states every rank holds a part of the mean alone: "
        "leave one of them out");
  }
  if (state.guard().applied == 0) {
    return ConfigError("use_ema: no step was applied yet, so there is no mean");
  }
  const double sum =
      optim::TrackEma{.decay = place->decay}.Correction(state.guard().applied);
  const float* const mean = state.front().states()[place->state];
  std::vector<float> params(state.layout().elements());
  for (std::size_t i = 0; i < params.size(); ++i) {
    params[i] = static_cast<float>(mean[i] / sum);
  }
  return params;
}

}  // namespace gyre::internal::inline train
