// The sizes of one pooling, shared by its operations and kernels.

#ifndef GYRE_AUTODIFF_EXEC_POOL_SHAPE_H_
#define GYRE_AUTODIFF_EXEC_POOL_SHAPE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "gyre/core/shape.h"
#include "gyre/core/status.h"

namespace gyre {

struct PoolOptions {
  std::array<std::int64_t, 2> window = {2, 2};  // (lat, lon)
  // Left out: the window, so that windows do not overlap.
  std::optional<std::array<std::int64_t, 2>> stride = {};
  std::array<std::int64_t, 2> padding = {0, 0};  // on both sides
  // Averages: divide by the whole window at the edges too, as PyTorch and
  // Flax do; false: by the elements inside.
  bool count_padding = true;

  std::string ToString() const;
};

}  // namespace gyre

namespace gyre::internal::inline autodiff {

struct PoolShape {
  std::int64_t planes = 0;
  std::array<std::int64_t, 2> in = {0, 0};
  std::array<std::int64_t, 2> out = {0, 0};
  std::array<std::int64_t, 2> window, stride, padding;
  bool count_padding = true;

  // x: (..., h, w). Errors: fewer axes; a window or stride below 1; padding
  // that is negative or not smaller than the window; a window larger than x.
  static StatusOr<PoolShape> Make(const Shape& x, const PoolOptions& options);
  // The result's shape for x of shape `x`.
  Shape Result(const Shape& x) const;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_POOL_SHAPE_H_
