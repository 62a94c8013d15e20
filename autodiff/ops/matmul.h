// Matrix products.

#ifndef GYRE_AUTODIFF_OPS_MATMUL_H_
#define GYRE_AUTODIFF_OPS_MATMUL_H_

#include "gyre/autodiff/var.h"

namespace gyre {

// op(a) * op(b) over the last two axes, where op transposes them if asked.
//   a: (..., m, k), b: (..., k, n) or (k, n)  ->  (..., m, n)
// The leading axes are equal, or b has none. f32 through oneDNN; f64, and the
// reference kernels, with plain loops. bf16 and f16 sum in f32 and round once:
// in bf16 where the processor multiplies it, else by way of f32.
Var matmul(Traced a,
           Traced b,
           bool transpose_a = false,
           bool transpose_b = false);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_MATMUL_H_
