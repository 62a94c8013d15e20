// Memory for time: an expression whose inner values are computed again in the
// backward pass instead of being kept for it.
//
//   const auto block = [&](Var x) { return mlp(layer_norm(x)); };
//   for (int i = 0; i < 12; ++i) h = checkpoint(block, {h});
//
// The forward pass is what f alone would record. The backward pass records
// f's operations again, on inputs that it fences off, so that no pass of the
// plan can take the first computation's values for the second's: those of the
// forward pass die as soon as the forward pass has used them. The gradient is
// the same, to the bit where the operations are. Derivatives of any order are
// right, and checkpoints may be nested.
//
// Vars that f captures are inputs as much as its arguments are. Random numbers
// (autodiff/ops/random.h) are drawn again, and are the same.
//
// WARNING 1: an operation of f that talks to other ranks runs twice a step.

#ifndef GYRE_AUTODIFF_CHECKPOINT_H_
#define GYRE_AUTODIFF_CHECKPOINT_H_

#include <functional>
#include <span>

#include "gyre/autodiff/var.h"

namespace gyre {

Var checkpoint(const std::function<Var(std::span<const Var>)>& f,
               std::span<const Var> inputs,
               const char* file = __builtin_FILE(),
               int line = __builtin_LINE());
Var checkpoint(const std::function<Var(Var)>& f, Traced input);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_CHECKPOINT_H_
