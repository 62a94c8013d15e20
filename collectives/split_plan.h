// The rules of Communicator::Split, checked alike by every rank.

#ifndef GYRE_COLLECTIVES_SPLIT_PLAN_H_
#define GYRE_COLLECTIVES_SPLIT_PLAN_H_

#include <span>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// lists[r]: what rank r asked for. Errors: a list with a rank that does not
// exist, with one twice, or without the caller; two lists that share ranks
// but are not the same. All ranks get the same error.
Status CheckSplit(std::span<const std::vector<int>> lists);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_SPLIT_PLAN_H_
