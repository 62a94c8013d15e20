#include "apps/weather_loss/batch.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "apps/weather_loss/grid.h"
#include "gyre/core/check.h"

namespace gyre::weather {

using namespace internal;

namespace {

constexpr int kStaticChannels = 5;

}  // namespace

BatchBuilder::BatchBuilder(Fields fields, const Statistics& statistics)
    : fields_(std::move(fields)), channels_(statistics.channels) {}

StatusOr<BatchBuilder> BatchBuilder::Create(const Fields& fields,
                                            const Statistics& statistics,
                                            const BatchOptions& options) {
  BatchBuilder builder(fields, statistics);
  GYRE_ASSIGN_OR_RETURN(builder.area_, AreaWeights(fields.lat));
  if (options.static_inputs) builder.MakeStaticInputs();
  return builder;
}

int BatchBuilder::inputs() const {
  return kChannels + (static_inputs_.empty() ? 0 : kStaticChannels);
}

void BatchBuilder::MakeStaticInputs() {
  const std::int64_t cells = fields_.cells();
  static_inputs_.assign(kStaticChannels * cells, 0.0f);
  for (std::int64_t t = 0; t < fields_.steps(); ++t) {
    const auto mask = fields_.Mask(t, kP);
    for (std::int64_t i = 0; i < cells; ++i) {
      if (mask[i] == 1) static_inputs_[i] = 1;
    }
  }
  constexpr double kDegree = std::numbers::pi / 180;
  for (std::int64_t i = 0; i < cells; ++i) {
    const double lat = fields_.lat[i / fields_.lons()] * kDegree;
    const double lon = fields_.lon[i % fields_.lons()] * kDegree;
    const double values[] = {
        std::sin(lat), std::cos(lat), std::sin(lon), std::cos(lon)};
    for (int k = 0; k < 4; ++k) {
      static_inputs_[(k + 1) * cells + i] = static_cast<float>(values[k]);
    }
  }
}

void BatchBuilder::Normalise(std::int64_t t, std::span<float> out) const {
  std::size_t k = 0;
  for (int c = 0; c < kChannels; ++c) {
    const auto values = fields_.Values(t, c);
    const auto mask = fields_.Mask(t, c);
    const double mean = channels_[c].mean;
    const double std = channels_[c].std;
    for (std::size_t i = 0; i < values.size(); ++i, ++k) {
      // In f64: a pressure minus its mean loses digits in f32.
      out[k] = mask[i] == 1 ? static_cast<float>((values[i] - mean) / std) : 0;
    }
  }
}

void BatchBuilder::BothValid(std::int64_t t, std::span<float> out) const {
  std::size_t k = 0;
  for (int c = 0; c < kChannels; ++c) {
    const auto now = fields_.Mask(t, c);
    const auto next = fields_.Mask(t + 1, c);
    for (std::size_t i = 0; i < now.size(); ++i, ++k) {
      out[k] = now[i] == 1 && next[i] == 1 ? 1.0f : 0.0f;
    }
  }
}

void BatchBuilder::Pressure(std::int64_t t, std::span<float> out) const {
  const auto values = fields_.Values(t, kP);
  const auto mask = fields_.Mask(t, kP);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i] = mask[i] == 1 ? values[i] : kStandardPressure;
  }
}

StatusOr<std::map<std::string, Tensor>> BatchBuilder::Build(
    std::span<const std::int64_t> ids) const {
  for (const std::int64_t id : ids) {
    if (id < 0 || id + 1 >= fields_.steps()) {
      return DataError(
          "expected a sample from 0 to ", fields_.steps() - 2, ", got ", id);
    }
  }
  const auto b = static_cast<std::int64_t>(ids.size());
  const std::int64_t lats = fields_.lats();
  const std::int64_t lons = fields_.lons();
  const std::size_t cells = static_cast<std::size_t>(fields_.cells());
  const std::size_t fields = kChannels * cells;
  const std::size_t in = static_cast<std::size_t>(inputs()) * cells;

  std::map<std::string, Tensor> batch;
  batch["input"] = Tensor::Zeros({b, inputs(), lats, lons});
  batch["target"] = Tensor::Zeros({b, kChannels, lats, lons});
  batch["mask"] = Tensor::Zeros({b, kChannels, lats, lons});
  batch["slp_now"] = Tensor::Zeros({b, 1, lats, lons});
  batch["slp_next"] = Tensor::Zeros({b, 1, lats, lons});
  const auto part = [&](const char* name, std::size_t k, std::size_t size) {
    return batch[name].data<float>().subspan(k * size, size);
  };
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::int64_t t = ids[k];
    Normalise(t, part("input", k, in));
    std::copy(static_inputs_.begin(),
              static_inputs_.end(),
              part("input", k, in).begin() + fields);
    Normalise(t + 1, part("target", k, fields));
    BothValid(t, part("mask", k, fields));
    Pressure(t, part("slp_now", k, cells));
    Pressure(t + 1, part("slp_next", k, cells));
  }
  return batch;
}

std::map<std::string, Tensor> BatchBuilder::Constants() const {
  std::map<std::string, Tensor> constants;
  Tensor area = Tensor::Zeros({1, 1, fields_.lats(), 1});
  std::copy(area_.begin(), area_.end(), area.data<float>().begin());
  Tensor mean = Tensor::Zeros({1, kChannels, 1, 1});
  Tensor std = Tensor::Zeros({1, kChannels, 1, 1});
  Tensor scale = Tensor::Zeros({1, kChannels, 1, 1});
  for (int c = 0; c < kChannels; ++c) {
    const ChannelStatistics& s = channels_[c];
    mean.data<float>()[c] = static_cast<float>(s.mean);
    std.data<float>()[c] = static_cast<float>(s.std);
    scale.data<float>()[c] = static_cast<float>(s.std_tendency / s.std);
  }
  constants["area"] = area;
  constants["mean"] = mean;
  constants["std"] = std;
  constants["tendency_scale"] = scale;
  return constants;
}

Tensor BatchBuilder::ToPhysical(const Tensor& normalised) const {
  const Shape& shape = normalised.shape();
  GYRE_CHECK(shape.rank() == 4 && shape[1] == kChannels &&
                 shape[2] * shape[3] == fields_.cells(),
             "expected (b, 6, lat, lon), got ",
             shape);
  Tensor physical = Tensor::Zeros(shape);
  const std::span<const float> from = normalised.data<float>();
  const std::span<float> to = physical.data<float>();
  const std::size_t cells = static_cast<std::size_t>(fields_.cells());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const ChannelStatistics& s = channels_[i / cells % kChannels];
    to[i] = static_cast<float>(s.mean + s.std * from[i]);
  }
  return physical;
}

}  // namespace gyre::weather
