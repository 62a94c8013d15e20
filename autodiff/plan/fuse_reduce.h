// Reductions that compute what they reduce.

#ifndef GYRE_AUTODIFF_PLAN_FUSE_REDUCE_H_
#define GYRE_AUTODIFF_PLAN_FUSE_REDUCE_H_

#include "gyre/autodiff/plan/graph.h"

namespace gyre::internal::inline autodiff {

// A reduction that alone reads the result of a fused operation takes its
// program in: the elements are never stored. After FuseElementwise.
void FuseReductions(Graph& graph);

// The sum of a pointwise functor over all elements becomes one pass; if the
// gradient that comes in is known by then, the derivatives join that pass.
// Before FuseElementwise.
void FuseFunctorSums(Graph& graph);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_FUSE_REDUCE_H_
