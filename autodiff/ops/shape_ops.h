// Operations that move numbers without changing them.

#ifndef GYRE_AUTODIFF_OPS_SHAPE_OPS_H_
#define GYRE_AUTODIFF_OPS_SHAPE_OPS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/var.h"

namespace gyre {

// The same numbers in row-major order under another shape; one extent may be
// -1: what the others leave. Costs nothing.
Var reshape(Traced x, Shape shape);
// Axis i of the result is axis order[i] of x.
Var transpose(Traced x, std::vector<int> order);
// NumPy's broadcasting, written out. Gradient: the sum over stretched axes.
Var broadcast_to(Traced x, Shape shape);
// The sum that undoes a broadcast to x's shape.
Var sum_to(Traced x, Shape shape);
// x[start : stop : stride] along one axis; negative positions count from the
// end, as in Python, but must lie within the axis.
Var slice(Traced x,
          int axis,
          std::int64_t start,
          std::int64_t stop,
          std::int64_t stride = 1);
// `before` and `after` copies of `value` along one axis.
Var pad(Traced x,
        int axis,
        std::int64_t before,
        std::int64_t after,
        double value = 0);
// Equal shapes but for `axis`.
Var concat(std::span<const Var> parts,
           int axis,
           const char* file = __builtin_FILE(),
           int line = __builtin_LINE());
// Another element type. Gradient: cast back.
Var cast(Traced x, DType dtype);
// The value without its gradient.
Var stop_gradient(Traced x);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_SHAPE_OPS_H_
