// The sizes of one convolution, shared by its operations and kernels.

#ifndef GYRE_AUTODIFF_EXEC_CONV_SHAPE_H_
#define GYRE_AUTODIFF_EXEC_CONV_SHAPE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "gyre/autodiff/exec/pad_map.h"
#include "gyre/core/shape.h"
#include "gyre/core/status.h"

namespace gyre {

struct ConvOptions {
  std::array<std::int64_t, 2> stride = {1, 1};    // (lat, lon)
  std::array<std::int64_t, 2> padding = {0, 0};   // on both sides
  std::array<std::int64_t, 2> dilation = {1, 1};  // 1: dense
  std::int64_t groups = 1;
  // What the padding is filled with, by axis.
  std::array<PadMode, 2> pad_mode = {PadMode::kZero, PadMode::kZero};
  // The padding at the end of each axis; left out: as at the beginning.
  std::optional<std::array<std::int64_t, 2>> padding_end = {};

  AxisPadding AxisPad(int axis) const {
    return {padding[axis], padding_end.value_or(padding)[axis], pad_mode[axis]};
  }
  // Zeros, as many before as after: what the kernels do themselves.
  bool HasPlainPadding() const;
  // Without what HasPlainPadding leaves out.
  std::string ToString() const;
};

}  // namespace gyre

namespace gyre::internal::inline autodiff {

// The three computations of a convolution.
enum class ConvPart {
  kForward,     // (x, weight) -> y
  kInputGrad,   // (dy, weight) -> dx
  kWeightGrad,  // (x, dy) -> dweight
};

// Sizes of a convolution in one place, for its three operations.
struct ConvShape {
  Shape x;       // (batch, in, h, w)
  Shape weight;  // (out, in / groups, kh, kw)
  Shape y;       // (batch, out, h', w')
  ConvOptions options;

  static StatusOr<ConvShape> Make(const Shape& x,
                                  const Shape& weight,
                                  const ConvOptions& options);
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_CONV_SHAPE_H_
