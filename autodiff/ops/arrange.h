// Operations that rearrange axes and positions.
//
//   Var globe = roll(field, 1, -1);            // one cell to the east
//   std::vector<Var> uv = split(wind, 2, 1);   // two halves of axis 1
//
// All accept every dtype; axes count from the end when negative. Each is
// linear, and its gradient is its adjoint. Errors name the axis and the shape.

#ifndef GYRE_AUTODIFF_OPS_ARRANGE_H_
#define GYRE_AUTODIFF_OPS_ARRANGE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "gyre/autodiff/var.h"

namespace gyre {

// `parts` equal parts. Error: the extent is not a multiple of it, or there are
// more than 65536.
std::vector<Var> split(Traced x, int parts, int axis);
// Parts of these extents. Error: they do not add up to the axis.
std::vector<Var> split_sizes(Traced x,
                             const std::vector<std::int64_t>& sizes,
                             int axis);
// Equal shapes, side by side along a new axis at position `axis`.
Var stack(std::span<const Var> parts,
          int axis,
          const char* file = __builtin_FILE(),
          int line = __builtin_LINE());

// A new axis of extent 1 before position `axis` (-1: at the end).
Var expand_dims(Traced x, int axis);
// Without these axes. Error: one of an extent other than 1.
Var squeeze(Traced x, const std::vector<int>& axes);
// The axis `from` put at position `to`; the others keep their order.
Var moveaxis(Traced x, int from, int to);
Var swapaxes(Traced x, int a, int b);

// Backwards along the axes.
Var flip(Traced x, const std::vector<int>& axes);
// Element i moves to (i + shift) mod extent; any shift, negative too.
Var roll(Traced x, std::int64_t shift, int axis);
// The whole, `times` times in a row along the axis: [a b] -> [a b a b].
Var tile(Traced x, std::int64_t times, int axis);
// Each element `times` times: [a b] -> [a a b b].
Var repeat(Traced x, std::int64_t times, int axis);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_ARRANGE_H_
