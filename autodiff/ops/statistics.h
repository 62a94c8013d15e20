// Reductions that are made of others: log of a sum of exponentials, variance.
//
//   Var log_z = logsumexp(logits, {-1});
//   Var spread = var(ensemble, {0}, /*ddof=*/1);
//
// bf16 and f16 are computed in f32 and rounded once, at the end. Without axes
// a reduction is global, over the ranks too, as in reduce.h.

#ifndef GYRE_AUTODIFF_OPS_STATISTICS_H_
#define GYRE_AUTODIFF_OPS_STATISTICS_H_

#include <vector>

#include "gyre/autodiff/var.h"

namespace gyre {

// log(sum(exp(x))), with the largest x taken out first, so that nothing
// overflows. An x of -Inf adds nothing; where all are -Inf, or there are none,
// the result is -Inf with gradient 0. +Inf gives +Inf and NaN gives NaN (and
// so do their gradients). Gradient: softmax.
Var logsumexp(Traced x);
Var logsumexp(Traced x, std::vector<int> axes, bool keep_dims = false);

// sum((x - mean)^2) / (n - ddof), in two passes, so that a large mean costs no
// digits; n is the number of elements, on all ranks in the global form. NaN
// where n <= ddof.
Var var(Traced x);  // ddof = 0
Var var(Traced x,
        std::vector<int> axes,
        double ddof = 0,
        bool keep_dims = false);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_STATISTICS_H_
