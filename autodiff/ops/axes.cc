#include "gyre/autodiff/ops/axes.h"

#include <algorithm>
#include <numeric>

namespace gyre::internal::inline autodiff {

StatusOr<std::vector<int>> SortedAxes(const Shape& shape,
                                      const std::vector<int>& axes) {
  std::vector<int> sorted;
  for (const int axis : axes) {
    GYRE_ASSIGN_OR_RETURN(const int at, shape.NormalizeAxis(axis));
    sorted.push_back(at);
  }
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return ConfigError("an axis of shape ", shape, " is named twice");
  }
  return sorted;
}

std::vector<int> AllAxes(int rank) {
  std::vector<int> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Shape KeptShape(const Shape& shape, const std::vector<int>& axes) {
  std::vector<std::int64_t> dims = shape.dims();
  for (const int axis : axes) dims[axis] = 1;
  return Shape(std::move(dims));
}

Shape ReducedShape(const Shape& shape, const std::vector<int>& axes) {
  std::vector<std::int64_t> dims;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!std::binary_search(axes.begin(), axes.end(), i)) {
      dims.push_back(shape[i]);
    }
  }
  return Shape(std::move(dims));
}

std::int64_t CountOf(const Shape& shape, const std::vector<int>& axes) {
  std::int64_t count = 1;
  for (const int axis : axes) count *= shape[axis];
  return count;
}

}  // namespace gyre::internal::inline autodiff
