// A dense tensor as lines along one axis: element k of the line that starts
// at outer * extent * inner + i is `k * inner` further on.

#ifndef GYRE_AUTODIFF_EXEC_AXIS_SPAN_H_
#define GYRE_AUTODIFF_EXEC_AXIS_SPAN_H_

#include <cstdint>

#include "gyre/core/shape.h"

namespace gyre::internal::inline autodiff {

struct AxisSpan {
  std::int64_t outer = 1;   // product of the extents before the axis
  std::int64_t extent = 1;  // of the axis
  std::int64_t inner = 1;   // product of those after it

  AxisSpan() = default;
  AxisSpan(const Shape& shape, int axis) : extent(shape[axis]) {
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  }
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_AXIS_SPAN_H_
