// Running sums.
//
//   Var depth = cumsum(layer_mass, 1);                  // from the top down
//   Var above = cumsum(layer_mass, 1, /*reverse=*/true);
//
// y[k] = x[0] + ... + x[k] along the axis; in reverse x[k] + ... + x[n-1].
// The shape and type are x's; sums are made in f64 for f32 and f64, in f32 for
// bf16 and f16. Gradient: the running sum of the other direction.
// Errors: no such axis; numbers that are not floats.
//
// WARNING 1: a NaN reaches every later sum, and in the backward pass every
// earlier gradient.

#ifndef GYRE_AUTODIFF_OPS_SCAN_H_
#define GYRE_AUTODIFF_OPS_SCAN_H_

#include "gyre/autodiff/var.h"

namespace gyre {

Var cumsum(Traced x, int axis, bool reverse = false);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_SCAN_H_
