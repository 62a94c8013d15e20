// Losses: traced values, the operations on them, functors, and the library.
//
//   // Right on paper, and NaN wherever the model predicts 0 or less.
//   Var LogLoss(Var pred, const BatchVars& batch) {
//     return mean(square(log(pred) - log(batch["y"])));
//   }
//
// A Var has a shape, a type and the mesh axes over which it varies, but no
// number yet: `if (var)` does not compile, select() does. Every operation keeps
// the line it was written in, and an error of the trace names it.
//
// WARNING 1: the loss must be one number, the same on all ranks: finish it with
// mean(), sum() or masked_mean() without axes, which run over the world.
// WARNING 2: masks select, they do not multiply: 0 * NaN is NaN.

#ifndef GYRE_LOSS_H_
#define GYRE_LOSS_H_

#include "gyre/autodiff/ops/arg_reduce.h"
#include "gyre/autodiff/ops/arrange.h"
#include "gyre/autodiff/ops/cast.h"
#include "gyre/autodiff/ops/custom_op.h"
#include "gyre/autodiff/ops/einsum.h"
#include "gyre/autodiff/ops/elementary.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/gather.h"
#include "gyre/autodiff/ops/logical_reduce.h"
#include "gyre/autodiff/ops/masked.h"
#include "gyre/autodiff/ops/math_vars.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/probe.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/report.h"
#include "gyre/autodiff/ops/safe.h"
#include "gyre/autodiff/ops/scan.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/ops/softmax.h"
#include "gyre/autodiff/ops/statistics.h"
#include "gyre/autodiff/var.h"
#include "gyre/core/math.h"
#include "gyre/models/batch_vars.h"
#include "gyre/models/losses.h"

#endif  // GYRE_LOSS_H_
