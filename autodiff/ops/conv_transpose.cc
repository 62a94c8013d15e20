#include "gyre/autodiff/ops/conv_transpose.h"

#include <memory>
#include <vector>

#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/conv_op.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

// The shape that the convolution with these options maps to x's.
StatusOr<Shape> OutputShape(const Var& x,
                            const Var& weight,
                            const ConvTransposeOptions& o) {
  const Shape& in = x.shape();
  const Shape& w = weight.shape();
  if (in.rank() != 4 || w.rank() != 4 || in[1] != w[0] || o.groups < 1 ||
      w[0] % o.groups != 0) {
    return ConfigError(
        "expected x (batch, in, h, w) and weight (in, out / "
        "groups, kh, kw), got ",
        in,
        " and ",
        w,
        " with groups=",
        o.groups);
  }
  if (x.dtype() != weight.dtype() || !IsFloat(x.dtype())) {
    return ConfigError("expected two float tensors of one type, got ",
                       x.dtype(),
                       " and ",
                       weight.dtype(),
                       "; use cast()");
  }
  std::vector<std::int64_t> dims = {in[0], w[1] * o.groups, 0, 0};
  for (int i = 0; i < 2; ++i) {
    if (o.output_padding[i] < 0 || o.output_padding[i] >= o.stride[i]) {
      return ConfigError(
          "expected an output_padding of 0 or more and below "
          "the stride ",
          o.stride[i],
          ", got ",
          o.output_padding[i]);
    }
    dims[2 + i] = (in[2 + i] - 1) * o.stride[i] - 2 * o.padding[i] +
                  o.dilation[i] * (w[2 + i] - 1) + 1 + o.output_padding[i];
    if (in[2 + i] < 1 || dims[2 + i] < 1) {
      return ConfigError("x ",
                         in,
                         " with weight ",
                         w,
                         ", stride ",
                         o.stride[i],
                         " and padding ",
                         o.padding[i],
                         " leaves an axis of ",
                         dims[2 + i],
                         " elements");
    }
  }
  return Shape(std::move(dims));
}

}  // namespace

Var conv2d_transpose(Traced x,
                     Traced weight,
                     const ConvTransposeOptions& options) {
  if (const auto bad = Unusable("conv2d_transpose", {x, weight})) return *bad;
  Tape& tape = *x.var().tape();
  const ConvOptions adjoint{.stride = options.stride,
                            .padding = options.padding,
                            .dilation = options.dilation,
                            .groups = options.groups};
  const auto y = OutputShape(x.var(), weight.var(), options);
  Status status = y.status();
  if (status.ok()) {
    status = ConvShape::Make(*y, weight.var().shape(), adjoint).status();
  }
  if (!status.ok()) {
    tape.NoteError(x.loc(), "conv2d_transpose", status);
    return Var(&tape, -1);
  }
  const Var inputs[] = {x.var(), weight.var()};
  return tape.RecordOne(
      std::make_shared<Conv2dInputGradOp>(adjoint, *y), inputs, x.loc());
}

}  // namespace gyre
