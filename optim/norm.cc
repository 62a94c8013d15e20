#include "gyre/optim/norm.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gyre/core/finite.h"

namespace gyre::optim {

using namespace internal;

double SumSquares(const float* x, std::size_t n) {
  // Sixteen sums side by side: the order is the source's, not the
  // compiler's, and still fills the vector units.
  constexpr std::size_t kLanes = 16;
  double lane[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      const double value = x[i + j];
      lane[j] += value * value;
    }
  }
  for (std::size_t j = 0; i < n; ++i, ++j) {
    const double value = x[i];
    lane[j] += value * value;
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) lane[j] += lane[j + half];
  }
  return lane[0];
}

void BlockSumSquares(const float* x,
                     std::size_t n,
                     std::size_t first,
                     std::span<double> sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t begin = std::min(n, (first + i) * kNormBlock);
    const std::size_t end = std::min(n, begin + kNormBlock);
    sums[i] = SumSquares(x + begin, end - begin);
  }
}

double NormOfBlocks(std::span<const double> sums) {
  double total = 0;
  for (const double s : sums) total += s;
  return std::sqrt(total);
}

double GlobalNorm(const float* reduced, std::size_t n) {
  double total = 0;
  for (std::size_t block = 0; block < NormBlocks(n); ++block) {
    double sum = 0;
    BlockSumSquares(reduced, n, block, {&sum, 1});
    total += sum;
  }
  return std::sqrt(total);
}

double GlobalNorm(NormKind kind, const float* reduced, std::size_t n) {
  if (kind == NormKind::kTwo) return GlobalNorm(reduced, n);
  // Magnitudes compare as the integers of their bits, and NaN is above all.
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(reduced[i]) & 0x7fffffffu;
    largest = std::max(largest, bits);
  }
  return std::bit_cast<float>(largest);
}

double ClipCoefficient(double norm, double max_norm) {
  if (!IsFinite(norm) || !(norm > max_norm)) return 1;
  return max_norm / norm;
}

SplitFactor Split(double factor) {
  constexpr double kSmall = 0x1p-100;  // floats below lose digits at 0x1p-126
  if (factor == 0 || std::abs(factor) >= kSmall) {
    return {.first = 1, .second = static_cast<float>(factor)};
  }
  return {.first = 0x1p-64f, .second = static_cast<float>(factor * 0x1p64)};
}

}  // namespace gyre::optim
