// The largest and the smallest over the ranks.

#ifndef GYRE_AUTODIFF_OPS_PMAX_H_
#define GYRE_AUTODIFF_OPS_PMAX_H_

#include "gyre/autodiff/var.h"

namespace gyre::internal::inline autodiff {

// The extreme over the ranks along all axes over which x varies; the result
// varies over none. A value that does not vary is returned as it is. NaN on
// any rank gives NaN on every rank (N4). Gradient: to the ranks that hold the
// extreme, in equal shares; none where it is NaN.
Var pmax(Traced x);
Var pmin(Traced x);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_PMAX_H_
