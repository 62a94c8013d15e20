#include "apps/weather_loss/groups.h"

#include <array>
#include <cmath>
#include <span>
#include <string>

#include "apps/weather_loss/skill.h"
#include "gyre/core/status.h"

namespace gyre::weather {

using namespace internal;

namespace {

constexpr double kDeepStorm = 40;     // hPa
constexpr double kHighLatitude = 60;  // degrees

// Behind the six fields.
enum PressureGroup { kDeep, kStorm, kCalm, kNorth, kSouth, kPressureGroups };
constexpr std::array<const char*, kPressureGroups> kNames = {
    "p, deeper than 40 hPa",
    "p, 20 to 40 hPa deep",
    "p, no storm",
    "p, beyond 60 degrees",
    "p, up to 60 degrees"};

PressureGroup GroupOfDepth(double depth) {
  if (depth > kDeepStorm) return kDeep;
  return depth > kStormDepth ? kStorm : kCalm;
}

}  // namespace

std::vector<GroupLoss> GroupLosses(const BatchBuilder& builder,
                                   const SampleBatch& batch,
                                   const Tensor& forecast) {
  const Fields& fields = builder.fields();
  const Tensor& target = batch.tensors.at("target");
  if (forecast.shape() != target.shape()) return {};
  const std::span<const float> errors[] = {forecast.data<float>(),
                                           target.data<float>()};
  const std::span<const float> mask = batch.tensors.at("mask").data<float>();
  const std::span<const float> slp = batch.tensors.at("slp_next").data<float>();
  std::vector<GroupLoss> groups;
  for (const auto name : kChannelNames) groups.push_back({std::string(name)});
  for (const char* name : kNames) groups.push_back({name});
  const auto cells = static_cast<std::size_t>(fields.cells());
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] == 0) continue;
    const std::size_t channel = i / cells % kChannels;
    const std::size_t cell = i % cells;
    const std::size_t row = cell / static_cast<std::size_t>(fields.lons());
    const double weight = builder.area()[row];
    const double error = errors[0][i] - errors[1][i];
    const auto add = [&](std::size_t group) {
      groups[group].sum += weight * error * error;
      groups[group].weight += weight;
    };
    add(channel);
    if (channel != kP) continue;
    const std::size_t sample = i / (kChannels * cells);
    const double depth = (kStandardPressure - slp[sample * cells + cell]) / 100;
    add(kChannels + GroupOfDepth(depth));
    add(kChannels +
        (std::abs(fields.lat[row]) > kHighLatitude ? kNorth : kSouth));
  }
  return groups;
}

}  // namespace gyre::weather
