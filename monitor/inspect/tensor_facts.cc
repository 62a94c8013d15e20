#include "gyre/monitor/inspect/tensor_facts.h"

#include <algorithm>
#include <cmath>

#include "gyre/core/finite.h"

namespace gyre::internal::inline monitor {
namespace {

template <class T>
std::vector<double> Converted(const Tensor& tensor) {
  const auto values = tensor.data<T>();
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Half>) {
      out[i] = static_cast<float>(values[i]);
    } else {
      out[i] = static_cast<double>(values[i]);
    }
  }
  return out;
}

}  // namespace

std::vector<double> ValuesOf(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kF32:
      return Converted<float>(tensor);
    case DType::kF64:
      return Converted<double>(tensor);
    case DType::kBF16:
      return Converted<BFloat16>(tensor);
    case DType::kF16:
      return Converted<Half>(tensor);
    case DType::kI32:
      return Converted<std::int32_t>(tensor);
    case DType::kI64:
      return Converted<std::int64_t>(tensor);
    case DType::kU8:
      return Converted<std::uint8_t>(tensor);
    case DType::kBool:
      break;
  }
  return Converted<bool>(tensor);
}

TensorFacts FactsOf(const Tensor& tensor) {
  TensorFacts facts;
  bool any = false;
  double squares = 0;
  const std::vector<double> values = ValuesOf(tensor);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = values[i];
    if (!IsFinite(v)) {
      if (facts.not_finite++ == 0) facts.first_not_finite = i;
      continue;
    }
    facts.least = any ? std::min(facts.least, v) : v;
    facts.largest = any ? std::max(facts.largest, v) : v;
    any = true;
    squares += v * v;
  }
  facts.norm = std::sqrt(squares);
  return facts;
}

TensorDifference Compare(const Tensor& a, const Tensor& b) {
  TensorDifference difference;
  difference.comparable = a.shape() == b.shape();
  if (!difference.comparable) return difference;
  const std::vector<double> x = ValuesOf(a);
  const std::vector<double> y = ValuesOf(b);
  double of_difference = 0;
  double of_a = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference.not_finite_a += IsFinite(x[i]) ? 0 : 1;
    difference.not_finite_b += IsFinite(y[i]) ? 0 : 1;
    if (IsFinite(x[i])) of_a += x[i] * x[i];
    const bool both_nan = x[i] != x[i] && y[i] != y[i];
    if (x[i] == y[i] || both_nan) continue;
    if (difference.different++ == 0) difference.first = i;
    const double d = std::abs(x[i] - y[i]);
    if (!IsFinite(d)) continue;
    difference.largest = std::max(difference.largest, d);
    // Not both are 0, or they would be equal.
    difference.largest_relative =
        std::max(difference.largest_relative,
                 d / std::max(std::abs(x[i]), std::abs(y[i])));
    of_difference += d * d;
  }
  if (of_a > 0) difference.relative = std::sqrt(of_difference / of_a);
  return difference;
}

}  // namespace gyre::internal::inline monitor
