// Lists of axes, as reductions take them.

#ifndef GYRE_AUTODIFF_OPS_AXES_H_
#define GYRE_AUTODIFF_OPS_AXES_H_

#include <cstdint>
#include <vector>

#include "gyre/core/shape.h"

namespace gyre::internal::inline autodiff {

// The axes counted from the front, in increasing order. Errors: no such axis,
// an axis named twice.
StatusOr<std::vector<int>> SortedAxes(const Shape& shape,
                                      const std::vector<int>& axes);
// 0, 1, ... rank - 1.
std::vector<int> AllAxes(int rank);

// `shape` with these (sorted) axes at extent 1, or without them.
Shape KeptShape(const Shape& shape, const std::vector<int>& axes);
Shape ReducedShape(const Shape& shape, const std::vector<int>& axes);

// The product of the extents of these (sorted) axes.
std::int64_t CountOf(const Shape& shape, const std::vector<int>& axes);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_AXES_H_
