// What model and loss must give, said at the trace.

#ifndef GYRE_TRAIN_STEP_RESULT_CHECK_H_
#define GYRE_TRAIN_STEP_RESULT_CHECK_H_

#include <span>
#include <string_view>

#include "gyre/autodiff/tape.h"
#include "gyre/core/status.h"
#include "gyre/models/params.h"

namespace gyre::internal::inline train {

// The line of the operation that made a value; no line for an input.
SourceLoc LineOf(const Var& var);

// Error: the function ("model", "loss") gave no value, or one of another
// trace. The first error of the trace comes before.
Status CheckReturned(const Tape& tape, const Var& var, std::string_view who);

// Error: the loss is no f32 scalar.
Status CheckIsScalar(const Var& loss);

// `grads` by parameter; not given() where the loss does not depend on it.
// Error: it depends on none.
Status CheckReaches(const Var& loss, std::span<const Var> grads);

// A sentence on the parameters that the loss does not depend on, with their
// lines; empty: it depends on all.
std::string DescribeUnreached(std::span<const Parameter> params,
                              std::span<const Var> grads);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_RESULT_CHECK_H_
