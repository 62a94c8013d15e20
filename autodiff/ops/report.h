// Numbers of a model or a loss that a run records by name.
//
//   Var Loss(Var pred, const BatchVars& batch) {
//     const Var error = mean(abs(pred - batch["y"]));
//     const Var size = mean(square(pred));
//     report("loss/error", error);
//     report("loss/size", size);
//     return error + 0.1 * size;
//   }
//
// Each is a column of metrics.jsonl, TensorBoard and the report, and, with
// "eval_" before its name, of an evaluation. It changes no bit of the training.

#ifndef GYRE_AUTODIFF_OPS_REPORT_H_
#define GYRE_AUTODIFF_OPS_REPORT_H_

#include <string>

#include "gyre/autodiff/var.h"

namespace gyre {

// Returns `value` itself. Errors of the trace: no scalar; a value that differs
// from rank to rank (finish it with mean(), sum() or pmean()); a name that was
// given before, or none.
Var report(const std::string& name, Traced value);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_REPORT_H_
