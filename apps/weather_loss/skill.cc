#include "apps/weather_loss/skill.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/weather_loss/batch.h"
#include "apps/weather_loss/grid.h"

namespace gyre::weather {

using namespace internal;

namespace {

// A weighted mean of errors and of their squares.
struct Errors {
  double weights = 0;
  double sum = 0;
  double squares = 0;

  void Add(double weight, double error) {
    weights += weight;
    sum += weight * error;
    squares += weight * error * error;
  }
  double mse() const { return squares / weights; }
};

std::optional<double> Skill(const Errors& model, const Errors& reference) {
  if (reference.squares == 0) return std::nullopt;
  return 1 - model.mse() / reference.mse();
}

StormError StormErrorOf(const Errors& errors) {
  if (errors.weights == 0) return {};
  return {errors.sum / errors.weights, std::sqrt(errors.mse())};
}

double Depth(double pressure) { return (kStandardPressure - pressure) / 100; }

struct Totals {
  std::array<Errors, kChannels> model;
  std::array<Errors, kChannels> persistence;
  std::array<Errors, kChannels> mean;
  Errors storm;
  Errors storm_persistence;
  std::int64_t storm_cells = 0;
  std::int64_t valid = 0;
  std::int64_t all = 0;
};

// One channel of one pair.
void AddField(const Fields& fields,
              std::int64_t t,
              int c,
              std::span<const float> forecast,
              std::span<const float> train_mean,
              const std::vector<double>& area,
              Totals* totals) {
  const auto now = fields.Values(t, c);
  const auto next = fields.Values(t + 1, c);
  const auto valid_now = fields.Mask(t, c);
  const auto valid_next = fields.Mask(t + 1, c);
  for (std::size_t i = 0; i < next.size(); ++i) {
    ++totals->all;
    if (valid_now[i] == 0 || valid_next[i] == 0) continue;
    ++totals->valid;
    const double a = area[i / static_cast<std::size_t>(fields.lons())];
    const double observed = next[i];
    totals->model[c].Add(a, forecast[i] - observed);
    totals->persistence[c].Add(a, now[i] - observed);
    totals->mean[c].Add(a, train_mean[i] - observed);
    if (c == kP && Depth(observed) > kStormDepth) {
      ++totals->storm_cells;
      totals->storm.Add(1, Depth(forecast[i]) - Depth(observed));
      totals->storm_persistence.Add(1, Depth(now[i]) - Depth(observed));
    }
  }
}

Status CheckArguments(const Fields& fields,
                      std::span<const std::int64_t> ids,
                      const Tensor& forecasts) {
  const Shape expected({static_cast<std::int64_t>(ids.size()),
                        kChannels,
                        fields.lats(),
                        fields.lons()});
  if (ids.empty()) return DataError("skill needs one test pair or more");
  if (forecasts.shape() != expected || forecasts.dtype() != DType::kF32) {
    return DataError("expected forecasts of f32 ",
                     expected,
                     ", got ",
                     forecasts.dtype(),
                     " ",
                     forecasts.shape());
  }
  for (const std::int64_t id : ids) {
    if (id < 0 || id + 1 >= fields.steps()) {
      return DataError(
          "expected a pair from 0 to ", fields.steps() - 2, ", got ", id);
    }
  }
  return OkStatus();
}

Json OrNull(const std::optional<double>& value) {
  return value.has_value() ? Json(*value) : Json();
}

Json ToJson(const StormError& error) {
  return Json::Object({{"bias_hpa", OrNull(error.bias_hpa)},
                       {"rmse_hpa", OrNull(error.rmse_hpa)}});
}

}  // namespace

StatusOr<SkillReport> ComputeSkill(const Fields& fields,
                                   std::span<const std::int64_t> ids,
                                   const Tensor& forecasts,
                                   std::int64_t train_steps) {
  GYRE_RETURN_IF_ERROR(CheckArguments(fields, ids, forecasts));
  GYRE_ASSIGN_OR_RETURN(const std::vector<double> area,
                        AreaWeights(fields.lat));
  const Tensor train_mean = TrainMean(fields, train_steps);
  const std::size_t cells = static_cast<std::size_t>(fields.cells());
  Totals totals;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    for (int c = 0; c < kChannels; ++c) {
      AddField(
          fields,
          ids[k],
          c,
          forecasts.data<float>().subspan((k * kChannels + c) * cells, cells),
          train_mean.data<float>().subspan(c * cells, cells),
          area,
          &totals);
    }
  }
  SkillReport report;
  for (int c = 0; c < kChannels; ++c) {
    if (totals.model[c].weights == 0) {
      return DataError(
          "channel ", kChannelNames[c], " has no valid cell in the test pairs");
    }
    report.channels[c] = {std::sqrt(totals.model[c].mse()),
                          std::sqrt(totals.persistence[c].mse()),
                          std::sqrt(totals.mean[c].mse()),
                          Skill(totals.model[c], totals.persistence[c]),
                          Skill(totals.model[c], totals.mean[c])};
  }
  report.storm = StormErrorOf(totals.storm);
  report.storm_persistence = StormErrorOf(totals.storm_persistence);
  report.storm_cells = totals.storm_cells;
  report.coverage =
      static_cast<double>(totals.valid) / static_cast<double>(totals.all);
  return report;
}

Tensor TrainMean(const Fields& fields, std::int64_t train_steps) {
  const std::size_t cells = static_cast<std::size_t>(fields.cells());
  Tensor mean = Tensor::Zeros({kChannels, fields.lats(), fields.lons()});
  const std::int64_t steps = std::min(train_steps, fields.steps());
  for (int c = 0; c < kChannels; ++c) {
    std::vector<double> sums(cells);
    std::vector<std::int64_t> counts(cells);
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
      const auto values = fields.Values(t, c);
      const auto mask = fields.Mask(t, c);
      for (std::size_t i = 0; i < cells; ++i) {
        if (mask[i] == 0) continue;
        sums[i] += values[i];
        ++counts[i];
        sum += values[i];
        ++count;
      }
    }
    const double whole = count > 0 ? sum / static_cast<double>(count) : 0;
    const auto out = mean.data<float>().subspan(c * cells, cells);
    for (std::size_t i = 0; i < cells; ++i) {
      out[i] = static_cast<float>(
          counts[i] > 0 ? sums[i] / static_cast<double>(counts[i]) : whole);
    }
  }
  return mean;
}

Tensor Persistence(const Fields& fields, std::span<const std::int64_t> ids) {
  Tensor forecasts = Tensor::Zeros({static_cast<std::int64_t>(ids.size()),
                                    kChannels,
                                    fields.lats(),
                                    fields.lons()});
  auto out = forecasts.data<float>().begin();
  for (const std::int64_t t : ids) {
    for (int c = 0; c < kChannels; ++c) {
      const auto values = fields.Values(t, c);
      out = std::copy(values.begin(), values.end(), out);
    }
  }
  return forecasts;
}

Json ToJson(const SkillReport& report) {
  Json skill = Json::Object();
  Json versus_mean = Json::Object();
  Json rmse = Json::Object();
  for (int c = 0; c < kChannels; ++c) {
    const ChannelSkill& channel = report.channels[c];
    skill.Set(kChannelNames[c], OrNull(channel.skill));
    versus_mean.Set(kChannelNames[c], OrNull(channel.skill_vs_mean));
    rmse.Set(kChannelNames[c],
             Json::Object({{"model", channel.rmse},
                           {"persistence", channel.rmse_persistence},
                           {"train_mean", channel.rmse_mean}}));
  }
  return Json::Object({{"skill", std::move(skill)},
                       {"skill_vs_mean", std::move(versus_mean)},
                       {"rmse", std::move(rmse)},
                       {"storm", ToJson(report.storm)},
                       {"storm_persistence", ToJson(report.storm_persistence)},
                       {"storm_cells", report.storm_cells},
                       {"coverage", report.coverage}});
}

}  // namespace gyre::weather
