#include "gyre/autodiff/exec/number_view.h"

#include <algorithm>
#include <cmath>

#include "gyre/core/finite.h"
#include "gyre/core/half.h"

namespace gyre::internal::inline autodiff {

NumberView::NumberView(const void* data, const TensorSpec& spec)
    : data_(data),
      dtype_(spec.dtype),
      size_(data != nullptr && IsFloat(spec.dtype) ? spec.shape.elements()
                                                   : 0) {}

double NumberView::operator[](std::int64_t i) const {
  switch (dtype_) {
    case DType::kF64:
      return static_cast<const double*>(data_)[i];
    case DType::kBF16:
      return static_cast<float>(static_cast<const BFloat16*>(data_)[i]);
    case DType::kF16:
      return static_cast<float>(static_cast<const Half*>(data_)[i]);
    default:
      return static_cast<const float*>(data_)[i];
  }
}

NumberView::Bad NumberView::FindBad() const {
  // Most tensors are healthy, and large: these two have a fast test.
  if (dtype_ == DType::kF32 &&
      CountNonFinite(static_cast<const float*>(data_), size_) == 0) {
    return {};
  }
  if (dtype_ == DType::kF64 &&
      CountNonFinite(static_cast<const double*>(data_), size_) == 0) {
    return {};
  }
  Bad bad;
  for (std::int64_t i = 0; i < size_; ++i) {
    const double x = (*this)[i];
    if (IsFinite(x)) continue;
    if (bad.count++ == 0) bad.first = i;
    if (std::isnan(x) && !bad.nan()) bad.first_nan = i;
  }
  return bad;
}

NumberView::Sizes NumberView::MeasureSizes() const {
  Sizes sizes;
  for (std::int64_t i = 0; i < size_; ++i) {
    const double x = std::abs((*this)[i]);
    sizes.squares += x * x;
    if (!(x <= sizes.largest) && !std::isnan(sizes.largest)) sizes.largest = x;
  }
  return sizes;
}

NumberView::Range NumberView::FiniteRange() const {
  Range range;
  bool any = false;
  for (std::int64_t i = 0; i < size_; ++i) {
    const double x = (*this)[i];
    if (!IsFinite(x)) continue;
    range.least = any ? std::min(range.least, x) : x;
    range.largest = any ? std::max(range.largest, x) : x;
    any = true;
  }
  return range;
}

}  // namespace gyre::internal::inline autodiff
