// Operations as text: for plans, fingerprints, and the comparison of ranks.

#ifndef GYRE_AUTODIFF_PLAN_LISTING_H_
#define GYRE_AUTODIFF_PLAN_LISTING_H_

#include <string>
#include <vector>

#include "gyre/autodiff/plan/graph.h"

namespace gyre::internal::inline autodiff {

// One line a node: "%7 f32(8, 6) = add(%3, %5) at losses.cc:31".
std::vector<std::string> ListOperations(const Graph& graph);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_LISTING_H_
