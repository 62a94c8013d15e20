// Reverse-mode gradients, recorded on the tape.
//
//   std::vector<Var> grads = Gradients(loss, params);
//
// The gradients are ordinary Vars: they can be differentiated again.

#ifndef GYRE_AUTODIFF_VJP_H_
#define GYRE_AUTODIFF_VJP_H_

#include <span>
#include <vector>

#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/var.h"

namespace gyre::internal::inline autodiff {

// d loss / d wrt[i], each of wrt[i]'s shape and type; zeros where the loss
// does not depend on it. Only operations between `wrt` and `loss` are
// visited. Error: the loss is not a float scalar.
std::vector<Var> Gradients(const Traced& loss, std::span<const Var> wrt);

// The vector-Jacobian product: sum over outputs of seeds[i] * d outputs[i].
std::vector<Var> Vjp(std::span<const Var> outputs,
                     std::span<const Var> seeds,
                     std::span<const Var> wrt,
                     const char* file = __builtin_FILE(),
                     int line = __builtin_LINE());

// The same, without zeros: a Var that is not given() where no output depends
// on wrt[i].
std::vector<Var> SomeGradients(std::span<const Var> outputs,
                               std::span<const Var> seeds,
                               std::span<const Var> wrt,
                               const char* file = __builtin_FILE(),
                               int line = __builtin_LINE());

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_VJP_H_
