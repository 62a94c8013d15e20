#include "gyre/autodiff/exec/norm_rows.h"

#include "gyre/autodiff/exec/row_loops.h"

namespace gyre::internal::inline autodiff {
namespace {

using rows::LoadLive;
using rows::StoreLive;

RowStatistics<float> Statistics(const NormShape& shape, const float* x) {
  const std::int64_t n = shape.row_size();
  const double count = static_cast<double>(n);
  RowStatistics<float> row;
  if (shape.centred) {
    row.mean =
        static_cast<float>(rows::Sum(n,
                                     [&](std::int64_t i, std::int64_t live) {
                                       return LoadLive(x + i, live, 0.0f);
                                     }) /
                           count);
  }
  const FloatBatch mean(row.mean);
  const double square = rows::Sum(n, [&](std::int64_t i, std::int64_t live) {
    const FloatBatch e = LoadLive(x + i, live, row.mean) - mean;
    return e * e;
  });
  row.scale = static_cast<float>(1 / std::sqrt(square / count + shape.eps));
  return OutOfRange(row.scale) ? ScaledStatistics(shape, x) : row;
}

// sum(dy), sum(dy * h) over a run of numbers.
struct Moments {
  double total = 0;
  double along = 0;
};

Moments MomentsOf(const RowStatistics<float>& row,
                  const float* x,
                  const float* dy,
                  std::int64_t n) {
  Moments found;
  const FloatBatch mean(row.mean);
  const FloatBatch scale(row.scale);
  for (std::int64_t begin = 0; begin < n; begin += rows::kRowBlock) {
    FloatBatch total(0.0f);
    FloatBatch along(0.0f);
    rows::ForEachVector(
        std::min(rows::kRowBlock, n - begin),
        [&](std::int64_t i, std::int64_t live) {
          const FloatBatch d = LoadLive(dy + begin + i, live, 0.0f);
          const FloatBatch h =
              (LoadLive(x + begin + i, live, row.mean) - mean) * scale;
          total = total + d;
          along = along + d * h;
        });
    found.total += static_cast<double>(SumLanes(total));
    found.along += static_cast<double>(SumLanes(along));
  }
  return found;
}

// to[0 .. live) += x.
void Add(const FloatBatch& x, std::int64_t live, float* to) {
  StoreLive(to, live, LoadLive(to, live, 0.0f) + x);
}

// One number a channel: gain, dgain and dbias run along the row.
Moments DenseMoments(const RowStatistics<float>& row,
                     const float* x,
                     const float* dy,
                     const float* gain,
                     std::int64_t n,
                     float* dgain,
                     float* dbias) {
  Moments found;
  const FloatBatch mean(row.mean);
  const FloatBatch scale(row.scale);
  const FloatBatch one(1.0f);
  for (std::int64_t begin = 0; begin < n; begin += rows::kRowBlock) {
    FloatBatch total(0.0f);
    FloatBatch along(0.0f);
    rows::ForEachVector(std::min(rows::kRowBlock, n - begin),
                        [&](std::int64_t i, std::int64_t live) {
                          const std::int64_t at = begin + i;
                          const FloatBatch d = LoadLive(dy + at, live, 0.0f);
                          const FloatBatch h =
                              (LoadLive(x + at, live, row.mean) - mean) * scale;
                          const FloatBatch w =
                              gain == nullptr ? one
                                              : LoadLive(gain + at, live, 0.0f);
                          const FloatBatch dh = d * h;
                          total = total + d * w;
                          along = along + dh * w;
                          Add(dh, live, dgain + at);
                          Add(d, live, dbias + at);
                        });
    found.total += static_cast<double>(SumLanes(total));
    found.along += static_cast<double>(SumLanes(along));
  }
  return found;
}

// Many numbers a channel: each channel is a run with one gain.
Moments ChannelMoments(const NormShape& shape,
                       const RowStatistics<float>& row,
                       const float* x,
                       const float* dy,
                       const float* gain,
                       float* dgain,
                       float* dbias) {
  Moments found;
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    const std::int64_t at = c * shape.inner;
    const Moments run = MomentsOf(row, x + at, dy + at, shape.inner);
    const double w = gain == nullptr ? 1 : static_cast<double>(gain[c]);
    found.total += w * run.total;
    found.along += w * run.along;
    dgain[c] += static_cast<float>(run.along);
    dbias[c] += static_cast<float>(run.total);
  }
  return found;
}

}  // namespace

RowStatistics<float> FastNormRow(const NormShape& shape,
                                 const float* x,
                                 const float* gain,
                                 const float* bias,
                                 float* y) {
  const RowStatistics<float> row = Statistics(shape, x);
  const FloatBatch mean(row.mean);
  const FloatBatch scale(row.scale);
  if (shape.inner == 1) {
    rows::ForEachVector(shape.channels, [&](std::int64_t i, std::int64_t live) {
      FloatBatch h = (LoadLive(x + i, live, 0.0f) - mean) * scale;
      if (gain != nullptr) h = h * LoadLive(gain + i, live, 0.0f);
      if (bias != nullptr) h = h + LoadLive(bias + i, live, 0.0f);
      StoreLive(y + i, live, h);
    });
    return row;
  }
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    const FloatBatch w(gain == nullptr ? 1.0f : gain[c]);
    const FloatBatch b(bias == nullptr ? 0.0f : bias[c]);
    rows::Map(x + c * shape.inner,
              y + c * shape.inner,
              shape.inner,
              [&](FloatBatch v) { return (v - mean) * scale * w + b; });
  }
  return row;
}

void FastNormGradRow(const NormShape& shape,
                     const RowStatistics<float>& row,
                     const float* x,
                     const float* dy,
                     const float* gain,
                     float* dx,
                     float* dgain,
                     float* dbias) {
  const bool dense = shape.inner == 1;
  const Moments sums =
      dense ? DenseMoments(row, x, dy, gain, shape.channels, dgain, dbias)
            : ChannelMoments(shape, row, x, dy, gain, dgain, dbias);
  if (dx == nullptr) return;
  const double count = static_cast<double>(shape.row_size());
  const FloatBatch mean(row.mean);
  const FloatBatch scale(row.scale);
  const FloatBatch total(
      static_cast<float>(shape.centred ? sums.total / count : 0));
  const FloatBatch along(static_cast<float>(sums.along / count));
  const auto run = [&](std::int64_t from,
                       std::int64_t n,
                       const float* w,
                       const FloatBatch& all) {
    rows::ForEachVector(n, [&](std::int64_t i, std::int64_t live) {
      const std::int64_t at = from + i;
      const FloatBatch h = (LoadLive(x + at, live, 0.0f) - mean) * scale;
      const FloatBatch g = LoadLive(dy + at, live, 0.0f) *
                           (w == nullptr ? all : LoadLive(w + i, live, 0.0f));
      StoreLive(dx + at, live, scale * (g - total - h * along));
    });
  };
  if (dense) {
    run(0, shape.channels, gain, FloatBatch(1.0f));
    return;
  }
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    run(c * shape.inner,
        shape.inner,
        nullptr,
        FloatBatch(gain == nullptr ? 1.0f : gain[c]));
  }
}

}  // namespace gyre::internal::inline autodiff
