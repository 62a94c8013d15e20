// Placed values get memory of their own.

#ifndef GYRE_AUTODIFF_PLAN_SEPARATE_H_
#define GYRE_AUTODIFF_PLAN_SEPARATE_H_

#include <cstddef>

#include "gyre/autodiff/plan/graph.h"

namespace gyre::internal::inline autodiff {

// Results from `first` on are placed at fixed addresses. One that shares its
// memory with an input, a constant, another placed value or a result that the
// caller reads is replaced by a copy, made right after the value itself.
void SeparatePlacements(Graph& graph, std::size_t first);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_SEPARATE_H_
