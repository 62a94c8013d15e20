// Operations that may begin as soon as they can: what goes on beside the rest
// of the step, such as adding gradients over the ranks.

#ifndef GYRE_AUTODIFF_PLAN_HOIST_H_
#define GYRE_AUTODIFF_PLAN_HOIST_H_

#include "gyre/autodiff/plan/graph.h"

namespace gyre::internal::inline autodiff {

// Moves every node whose operation runs early (Op::runs_early) to right behind
// the last node that makes or reads one of its inputs: it may change them
// where they lie. Early nodes keep their order.
void HoistEarlyNodes(Graph& graph);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_HOIST_H_
