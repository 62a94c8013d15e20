// Average and maximum pooling over windows of the last two axes.
//
//   x: (..., h, w) -> (..., h', w') with
//   h' = (h + 2 * padding - window) / stride + 1
//
//   Var coarse = avg_pool(x, {.window = {2, 2}});
//
// avg_pool sums in f64 and divides by the window, padding counted or not (see
// PoolOptions). max_pool never chooses padding; a NaN in the window is the
// result, and the gradient goes to the first NaN, or else the first maximum in
// row-major order.
//
// Errors: those of PoolShape::Make; x is no float.

#ifndef GYRE_AUTODIFF_OPS_POOL_H_
#define GYRE_AUTODIFF_OPS_POOL_H_

#include "gyre/autodiff/exec/pool_shape.h"
#include "gyre/autodiff/var.h"

namespace gyre {

Var avg_pool(Traced x, const PoolOptions& options = {});
Var max_pool(Traced x, const PoolOptions& options = {});

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_POOL_H_
