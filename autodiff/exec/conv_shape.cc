#include "gyre/autodiff/exec/conv_shape.h"

#include <vector>

namespace gyre {

using namespace internal;

std::string ConvOptions::ToString() const {
  return Cat("stride=",
             stride[0],
             "x",
             stride[1],
             " padding=",
             padding[0],
             "x",
             padding[1],
             " dilation=",
             dilation[0],
             "x",
             dilation[1],
             " groups=",
             groups);
}

bool ConvOptions::HasPlainPadding() const {
  for (int axis = 0; axis < 2; ++axis) {
    const AxisPadding pad = AxisPad(axis);
    const bool plain = pad.mode == PadMode::kZero && pad.before == pad.after;
    if (!plain && !pad.none()) return false;
  }
  return true;
}

}  // namespace gyre

namespace gyre::internal::inline autodiff {

StatusOr<ConvShape> ConvShape::Make(const Shape& x,
                                    const Shape& weight,
                                    const ConvOptions& options) {
  if (x.rank() != 4 || weight.rank() != 4) {
    return ConfigError(
        "expected x (batch, in, h, w) and weight (out, in / "
        "groups, kh, kw), got ",
        x,
        " and ",
        weight);
  }
  const std::int64_t groups = options.groups;
  if (groups < 1 || x[1] != weight[1] * groups || weight[0] % groups != 0) {
    return ConfigError("weight ",
                       weight,
                       " with groups=",
                       groups,
                       " does not fit the ",
                       x[1],
                       " channels of x ",
                       x);
  }
  std::vector<std::int64_t> dims = {x[0], weight[0], 0, 0};
  for (int i = 0; i < 2; ++i) {
    if (options.stride[i] < 1 || options.dilation[i] < 1 ||
        options.padding[i] < 0) {
      return ConfigError(
          "expected stride and dilation of 1 or more and "
          "padding of 0 or more, got ",
          options.ToString());
    }
    const std::int64_t span = options.dilation[i] * (weight[2 + i] - 1) + 1;
    const std::int64_t room = x[2 + i] + 2 * options.padding[i] - span;
    if (room < 0) {
      return ConfigError("the kernel of weight ",
                         weight,
                         " (",
                         options.ToString(),
                         ") is larger than x ",
                         x);
    }
    dims[2 + i] = room / options.stride[i] + 1;
  }
  return ConvShape{x, weight, Shape(std::move(dims)), options};
}

}  // namespace gyre::internal::inline autodiff
