// Whether any, or all, elements are true.
//
// Anything but 0 is true, NaN included. Over no elements `any` is false and
// `all` is true. The result is bool and has no gradient. Without axes the
// question goes to all ranks over which x varies.

#ifndef GYRE_AUTODIFF_OPS_LOGICAL_REDUCE_H_
#define GYRE_AUTODIFF_OPS_LOGICAL_REDUCE_H_

#include <vector>

#include "gyre/autodiff/var.h"

namespace gyre {

Var any(Traced x);
Var all(Traced x);
Var any(Traced x, std::vector<int> axes, bool keep_dims = false);
Var all(Traced x, std::vector<int> axes, bool keep_dims = false);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_LOGICAL_REDUCE_H_
