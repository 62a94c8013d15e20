#include "apps/weather_loss/statistics.h"

namespace gyre::weather {

using namespace internal;

StatusOr<Statistics> ComputeStatistics(const Fields& fields,
                                       std::int64_t train_steps) {
  if (train_steps < 2 || fields.steps() < train_steps) {
    return DataError("statistics need 2 training steps or more: expected ",
                     train_steps,
                     " of them, the data has ",
                     fields.steps(),
                     " steps");
  }
  Statistics statistics;
  statistics.train_steps = train_steps;
  const auto channels =
      ComputeChannelStatistics(fields.values,
                               fields.mask,
                               {kChannelNames.begin(), kChannelNames.end()},
                               {0, train_steps},
                               &statistics.warnings);
  if (!channels.ok()) return Annotate(channels.status(), fields.source + ": ");
  std::copy(channels->begin(), channels->end(), statistics.channels.begin());
  return statistics;
}

Json ToJson(const Statistics& statistics) {
  Json channels = Json::Object();
  for (int c = 0; c < kChannels; ++c) {
    channels.Set(kChannelNames[c],
                 gyre::ToJson(statistics.channels[c], kChannelUnits[c]));
  }
  return Json::Object({{"train_steps", statistics.train_steps},
                       {"channels", std::move(channels)},
                       {"warnings", Json::ArrayOf(statistics.warnings)}});
}

}  // namespace gyre::weather
