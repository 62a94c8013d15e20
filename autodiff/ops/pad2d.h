// Padding on the sphere's grid: each of the last two axes in its own mode.
//
//   Var y = pad2d(x, {1, 1, PadMode::kReplicate}, {1, 1, PadMode::kCircular});
//
//   x: (..., lat, lon) -> (..., before + lat + after, before + lon + after)
//
// zero, circular (the axis is a ring), reflect (mirrored, the edge not
// repeated) and replicate. Linear: the gradient adds every padded element back
// to the one it was copied from.
//
// Errors: fewer than 2 axes; negative padding; more than a mode can fill.

#ifndef GYRE_AUTODIFF_OPS_PAD2D_H_
#define GYRE_AUTODIFF_OPS_PAD2D_H_

#include "gyre/autodiff/exec/pad_map.h"
#include "gyre/autodiff/var.h"

namespace gyre {

Var pad2d(Traced x, const AxisPadding& lat, const AxisPadding& lon);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_PAD2D_H_
