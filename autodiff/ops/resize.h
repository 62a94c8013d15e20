// Resampling fields to another grid: nearest and bilinear.
//
//   x: (..., h, w) -> (..., height, width)
//
//   Var fine = resize(x, 66, 72, ResizeMode::kBilinear);
//
// Cells, not points, are aligned (align_corners = false elsewhere): element i
// of the new axis lies at (i + 1/2) * old / new - 1/2 of the old one.
//   nearest:  element floor((i + 1/2) * old / new), the cell it lies in
//             (JAX's rule; PyTorch calls it "nearest-exact")
//   bilinear: the two neighbours, weighted; beyond the outermost centres the
//             edge value. No antialiasing when shrinking: pool first.
// Linear: the gradient is the adjoint.
//
// Errors: fewer than 2 axes or an empty axis; a size below 1; x is no float.

#ifndef GYRE_AUTODIFF_OPS_RESIZE_H_
#define GYRE_AUTODIFF_OPS_RESIZE_H_

#include "gyre/autodiff/exec/resize_shape.h"
#include "gyre/autodiff/var.h"

namespace gyre {

Var resize(Traced x,
           std::int64_t height,
           std::int64_t width,
           ResizeMode mode = ResizeMode::kBilinear);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_RESIZE_H_
