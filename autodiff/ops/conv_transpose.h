// Transposed convolution: the adjoint of conv2d as a layer of its own.
//
//   x: (batch, in, h, w), weight: (in, out / groups, kh, kw)
//     -> (batch, out, h', w') with
//   h' = (h - 1) * stride - 2 * padding + dilation * (kh - 1) + 1
//        + output_padding
//
//   Var y = conv2d_transpose(x, w, {.stride = {2, 2}, .padding = {1, 1},
//                                   .output_padding = {1, 1}});
//
// The weight's layout is that of the convolution which this one undoes, so its
// first axis is the input's channels. Source: Dumoulin and Visin, "A guide to
// convolution arithmetic for deep learning", 2016.
//
// Errors: shapes that do not fit; an output_padding not smaller than the
// stride (no convolution maps that size back).

#ifndef GYRE_AUTODIFF_OPS_CONV_TRANSPOSE_H_
#define GYRE_AUTODIFF_OPS_CONV_TRANSPOSE_H_

#include <array>
#include <cstdint>

#include "gyre/autodiff/var.h"

namespace gyre {

struct ConvTransposeOptions {
  std::array<std::int64_t, 2> stride = {1, 1};
  std::array<std::int64_t, 2> padding = {0, 0};
  std::array<std::int64_t, 2> output_padding = {0, 0};
  std::array<std::int64_t, 2> dilation = {1, 1};
  std::int64_t groups = 1;
};

Var conv2d_transpose(Traced x,
                     Traced weight,
                     const ConvTransposeOptions& options = {});

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_CONV_TRANSPOSE_H_
