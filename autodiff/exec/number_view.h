// A tensor's numbers, of any float type, as doubles: to look at, not to
// compute with.

#ifndef GYRE_AUTODIFF_EXEC_NUMBER_VIEW_H_
#define GYRE_AUTODIFF_EXEC_NUMBER_VIEW_H_

#include <cstdint>

#include "gyre/autodiff/op.h"

namespace gyre::internal::inline autodiff {

class NumberView {
 public:
  // Empty where the type is no float or the memory is null.
  NumberView(const void* data, const TensorSpec& spec);

  std::int64_t size() const { return size_; }
  double operator[](std::int64_t i) const;

  struct Bad {
    std::int64_t count = 0;
    std::int64_t first = -1;
    std::int64_t first_nan = -1;  // -1: infinities alone

    bool nan() const { return first_nan >= 0; }
  };
  Bad FindBad() const;

  struct Range {
    double least = 0;
    double largest = 0;
  };
  // Of the finite ones; zeros where there are none.
  Range FiniteRange() const;

  struct Sizes {
    double squares = 0;  // their sum
    double largest = 0;  // magnitude; NaN if there is one
  };
  Sizes MeasureSizes() const;

 private:
  const void* data_;
  DType dtype_;
  std::int64_t size_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_NUMBER_VIEW_H_
