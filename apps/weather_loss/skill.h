// How good forecasts are, against two that cost nothing.
//
//   GYRE_ASSIGN_OR_RETURN(
//       const SkillReport report,
//       ComputeSkill(fields, split.test, forecasts, kTrainSteps));
//   report.channels[kP].skill;           // 1 - MSE / MSE of persistence
//   report.storm.bias_hpa;               // of the depth of storms
//
// All pairs are pooled: one weighted sum of squares over one sum of weights,
// over cells that are valid at both times, weighted by area. References:
// persistence (the field now) and the mean of the training steps, cell by
// cell. Depth is (101325 Pa - p) / 100 in hPa; storm cells are those whose
// observed depth exceeds 20 hPa, and each of them counts the same.
//
// A number that does not exist (a reference without error, no storm cell) is
// absent: "n/a" in tables, null in JSON. A forecast that is NaN where the
// observation is valid makes the numbers NaN; it is not left out.

#ifndef GYRE_APPS_WEATHER_LOSS_SKILL_H_
#define GYRE_APPS_WEATHER_LOSS_SKILL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/weather_loss/fields.h"
#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/core/tensor.h"

namespace gyre::weather {

inline constexpr double kStormDepth = 20;  // hPa

struct ChannelSkill {
  double rmse = 0;  // in the channel's unit
  double rmse_persistence = 0;
  double rmse_mean = 0;         // of the training mean
  std::optional<double> skill;  // against persistence
  std::optional<double> skill_vs_mean;
};

struct StormError {
  std::optional<double> bias_hpa;  // forecast depth minus observed depth
  std::optional<double> rmse_hpa;
};

struct SkillReport {
  std::array<ChannelSkill, kChannels> channels;
  StormError storm;
  StormError storm_persistence;
  std::int64_t storm_cells = 0;  // over all pairs
  double coverage = 0;           // share of cells that were valid
};

// `forecasts` (pair, 6, lat, lon) in Pa, K, m/s: of the step after each id.
// Errors: a shape that does not fit, no ids, a channel without any valid cell.
StatusOr<SkillReport> ComputeSkill(const Fields& fields,
                                   std::span<const std::int64_t> ids,
                                   const Tensor& forecasts,
                                   std::int64_t train_steps);

// The mean of each cell over the training steps, (6, lat, lon); where a cell
// is never valid there, the channel's mean.
Tensor TrainMean(const Fields& fields, std::int64_t train_steps);

// The fields now as forecasts of the next, (pair, 6, lat, lon).
Tensor Persistence(const Fields& fields, std::span<const std::int64_t> ids);

// {"skill": {"p": 0.3, ...}, "skill_vs_mean": {...}, "storm": {"bias_hpa",
// "rmse_hpa"}, "storm_persistence": {...}, "storm_cells", "coverage"}
Json ToJson(const SkillReport& report);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_SKILL_H_
