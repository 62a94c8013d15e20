// One row of a normalisation: the loops of exec/norm_kernel.h.
//
// gain and bias point at the row's first channel and may be null; so may dx.
// dgain and dbias are added to.

#ifndef GYRE_AUTODIFF_EXEC_NORM_ROWS_H_
#define GYRE_AUTODIFF_EXEC_NORM_ROWS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gyre/autodiff/exec/norm_kernel.h"

namespace gyre::internal::inline autodiff {

template <class T>
struct RowStatistics {
  T mean = 0;   // 0 for RMS
  T scale = 0;  // 1 / sqrt(variance + eps)
};

template <class T>
using NormRow = RowStatistics<T> (*)(
    const NormShape& shape, const T* x, const T* gain, const T* bias, T* y);
template <class T>
using NormGradRow = void (*)(const NormShape& shape,
                             const RowStatistics<T>& row,
                             const T* x,
                             const T* dy,
                             const T* gain,
                             T* dx,
                             T* dgain,
                             T* dbias);

// In vectors.
RowStatistics<float> FastNormRow(const NormShape& shape,
                                 const float* x,
                                 const float* gain,
                                 const float* bias,
                                 float* y);
void FastNormGradRow(const NormShape& shape,
                     const RowStatistics<float>& row,
                     const float* x,
                     const float* dy,
                     const float* gain,
                     float* dx,
                     float* dgain,
                     float* dbias);

// Returns mean and scale of a row in units of its largest number: what no
// square overflows, or vanishes, in. A number that is not finite makes both
// NaN.
template <class T>
RowStatistics<T> ScaledStatistics(const NormShape& shape, const T* x) {
  const std::int64_t n = shape.row_size();
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(x[i])));
  }
  if (largest == 0) largest = 1;
  double mean = 0;
  for (std::int64_t i = 0; shape.centred && i < n; ++i) {
    mean += static_cast<double>(x[i]) / largest / static_cast<double>(n);
  }
  double square = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double e = static_cast<double>(x[i]) / largest - mean;
    square += e * e / static_cast<double>(n);
  }
  const double scale =
      1 / std::sqrt(square + shape.eps / largest / largest) / largest;
  return {static_cast<T>(mean * largest), static_cast<T>(scale)};
}

// Returns whether the squares of a row that is finite went out of range.
inline bool OutOfRange(double scale) {
  return scale == 0 || !std::isfinite(scale);
}

// Plain loops in double.
template <class T>
RowStatistics<T> PlainNormRow(
    const NormShape& shape, const T* x, const T* gain, const T* bias, T* y) {
  const std::int64_t n = shape.row_size();
  double mean = 0;
  for (std::int64_t i = 0; shape.centred && i < n; ++i) {
    mean += static_cast<double>(x[i]) / static_cast<double>(n);
  }
  double square = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double e = static_cast<double>(x[i]) - mean;
    square += e * e;
  }
  double scale = 1 / std::sqrt(square / static_cast<double>(n) + shape.eps);
  if (OutOfRange(scale)) {
    const RowStatistics<T> row = ScaledStatistics(shape, x);
    mean = static_cast<double>(row.mean);
    scale = static_cast<double>(row.scale);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t c = i / shape.inner;
    double value = (static_cast<double>(x[i]) - mean) * scale;
    if (gain != nullptr) value *= static_cast<double>(gain[c]);
    if (bias != nullptr) value += static_cast<double>(bias[c]);
    y[i] = static_cast<T>(value);
  }
  return {static_cast<T>(mean), static_cast<T>(scale)};
}

// With h = (x - mean) * scale and g = dy * gain:
//   dx = scale * (g - mean(g) - h * mean(g h)), without mean(g) for RMS.
template <class T>
void PlainNormGradRow(const NormShape& shape,
                      const RowStatistics<T>& row,
                      const T* x,
                      const T* dy,
                      const T* gain,
                      T* dx,
                      T* dgain,
                      T* dbias) {
  const std::int64_t n = shape.row_size();
  const auto scale = static_cast<double>(row.scale);
  const auto normal = [&](std::int64_t i) {
    return (static_cast<double>(x[i]) - static_cast<double>(row.mean)) * scale;
  };
  const auto weighted = [&](std::int64_t i) {
    const auto d = static_cast<double>(dy[i]);
    return gain == nullptr ? d : d * static_cast<double>(gain[i / shape.inner]);
  };
  double along = 0;
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    along += weighted(i) * normal(i);
    total += weighted(i);
    dgain[i / shape.inner] +=
        static_cast<T>(static_cast<double>(dy[i]) * normal(i));
    dbias[i / shape.inner] += dy[i];
  }
  if (dx == nullptr) return;
  along /= static_cast<double>(n);
  total = shape.centred ? total / static_cast<double>(n) : 0;
  for (std::int64_t i = 0; i < n; ++i) {
    dx[i] = static_cast<T>(scale * (weighted(i) - total - normal(i) * along));
  }
}

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_NORM_ROWS_H_
