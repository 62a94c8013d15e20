// Small sums over ranks that are ready at the same time, as one message.

#ifndef GYRE_AUTODIFF_PLAN_COMBINE_SUMS_H_
#define GYRE_AUTODIFF_PLAN_COMBINE_SUMS_H_

#include "gyre/autodiff/plan/graph.h"

namespace gyre::internal::inline autodiff {

// A masked mean sums a numerator and a denominator over the ranks, a loss of
// three parts six numbers: each would wait for all ranks once. A sum waits
// for those behind it until its result is read; the bits are those of sums
// one by one, since each element has the same order over the ranks.
void CombineSums(Graph& graph);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_COMBINE_SUMS_H_
