// Reductions of the cells that count, over all elements and all ranks.
//
//   Var spread = masked_var(error, is_sea);
//   Var worst = masked_max(abs(error), is_sea);
//
// The mask broadcasts to x; anything but 0 counts. A cell that does not count
// reaches neither the value nor the gradient, even if it is NaN: its gradient
// is exactly 0. Like masked_sum and masked_mean (autodiff/ops/reduce.h) these
// see the cells of every rank over which x or the mask varies, and a rank
// without any is as good as absent.

#ifndef GYRE_AUTODIFF_OPS_MASKED_H_
#define GYRE_AUTODIFF_OPS_MASKED_H_

#include "gyre/autodiff/var.h"

namespace gyre {

// sum((x - m)^2) / (n - ddof) with m the masked mean and n the count, in two
// passes. 0 where n <= ddof.
Var masked_var(Traced x, Traced mask, double ddof = 0);

// The extreme of the cells that count; `empty` where there are none. NaN in a
// counted cell gives NaN. Gradient: equal shares to the ranks that hold the
// extreme, and there to the cells that tie.
Var masked_max(Traced x, Traced mask, double empty = 0);
Var masked_min(Traced x, Traced mask, double empty = 0);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_MASKED_H_
