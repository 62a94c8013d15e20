// Two-dimensional convolution (cross-correlation, as in every framework).

#ifndef GYRE_AUTODIFF_OPS_CONV_H_
#define GYRE_AUTODIFF_OPS_CONV_H_

#include "gyre/autodiff/exec/conv_shape.h"
#include "gyre/autodiff/var.h"

namespace gyre {

// x: (batch, in, h, w), weight: (out, in / groups, kh, kw)
//   -> (batch, out, h', w') with
//   h' = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1.
//
//   conv2d(x, w, {.padding = {1, 1},
//                 .pad_mode = {PadMode::kReplicate, PadMode::kCircular}});
//
// Padding other than as many zeros before as after is a pad2d of its own,
// followed by a convolution without padding. bf16 and f16 sum in f32.
Var conv2d(Traced x, Traced weight, const ConvOptions& options = {});

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_CONV_H_
