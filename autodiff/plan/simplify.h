// Passes that leave out what need not be computed at each step.

#ifndef GYRE_AUTODIFF_PLAN_SIMPLIFY_H_
#define GYRE_AUTODIFF_PLAN_SIMPLIFY_H_

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/plan/graph.h"

namespace gyre::internal::inline autodiff {

// Drops aliases of the same shape (vary, stop_gradient): readers read what
// the alias stands for. What is left of aliases are reshapes.
void RemoveAliases(Graph& graph);

// Lets operations that take scalars read the one element of a broadcast
// instead of its copies.
void BypassBroadcasts(Graph& graph);

// Computes now what depends on constants alone: elementwise operations,
// reductions and reshapes of small tensors. The kernels are those of the
// step, so are the bits.
void FoldConstants(Graph& graph, KernelSet kernels);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_SIMPLIFY_H_
