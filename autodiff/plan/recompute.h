// Cheap values that the backward pass computes again instead of reading.

#ifndef GYRE_AUTODIFF_PLAN_RECOMPUTE_H_
#define GYRE_AUTODIFF_PLAN_RECOMPUTE_H_

#include "gyre/autodiff/plan/graph.h"

namespace gyre::internal::inline autodiff {

// A difference, a comparison or a product that only elementwise operations
// and reductions need is cheaper to compute twice than to store and load. The
// backward pass gets copies of such operations where they read at most two
// tensors of their size, at most one of which is kept in memory for them.
// Before FuseElementwise; the bits stay.
void RecomputeCheapValues(Graph& graph);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_RECOMPUTE_H_
