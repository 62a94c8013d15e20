// Mean and spread of each channel, from the training steps alone.
//
//   GYRE_ASSIGN_OR_RETURN(const Statistics stats,
//                         ComputeStatistics(fields, kTrainSteps));
//   for (const std::string& text : stats.warnings) LogWarning(text);
//   run.Set("statistics", ToJson(stats));
//
// Over valid cells, each with the same weight, in f64. A spread is never 0:
// that of a constant channel is 1, with a warning that names it, so that the
// normalised channel is 0 everywhere instead of NaN.

#ifndef GYRE_APPS_WEATHER_LOSS_STATISTICS_H_
#define GYRE_APPS_WEATHER_LOSS_STATISTICS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/weather_loss/fields.h"
#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/data/dataset/statistics.h"

namespace gyre::weather {

// Steps 0 .. 47 train, the rest tests: twelve days and four.
inline constexpr std::int64_t kTrainSteps = 48;
// Of a longer series, all but the last four days train, unless the
// configuration says which.
inline std::int64_t TrainSteps(const Fields& fields) {
  if (fields.train_steps > 0) return fields.train_steps;
  return std::max(kTrainSteps, fields.steps() - 16);
}

struct Statistics {
  std::array<ChannelStatistics, kChannels> channels;
  std::int64_t train_steps = 0;
  std::vector<std::string> warnings;
};

// Errors: fewer steps than `train_steps`, or a channel without any valid
// value (or tendency) in them.
StatusOr<Statistics> ComputeStatistics(const Fields& fields,
                                       std::int64_t train_steps);

Json ToJson(const Statistics& statistics);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_STATISTICS_H_
