// Second derivatives of a fused operation, from its formula.
//
// A fused operation has a hand-written kernel for its gradient. The gradient
// of that gradient is rare; it is traced from the same formula in elementary
// operations.

#ifndef GYRE_AUTODIFF_OPS_COMPOSED_H_
#define GYRE_AUTODIFF_OPS_COMPOSED_H_

#include <functional>
#include <span>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/var.h"

namespace gyre::internal::inline autodiff {

// Traces an operation's outputs from its inputs.
using Formula = std::function<std::vector<Var>(std::span<const Var> inputs)>;

// The gradients of args.inputs when the operation's outputs are what
// `formula` makes of the inputs; the inputs count as independent.
std::vector<Var> ComposedVjp(const VjpArgs& args, const Formula& formula);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_COMPOSED_H_
