// Joins elementwise operations, so that a chain of them reads and writes
// memory once.

#ifndef GYRE_AUTODIFF_PLAN_FUSE_H_
#define GYRE_AUTODIFF_PLAN_FUSE_H_

#include "gyre/autodiff/plan/graph.h"

namespace gyre::internal::inline autodiff {

// Every elementwise operation becomes part of a fused one: neighbours of one
// shape and phase whose values nobody outside needs earlier share a program.
// A broadcast that only elementwise operations read is not written out.
void FuseElementwise(Graph& graph);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_FUSE_H_
