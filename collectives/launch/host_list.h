// The short forms in which Slurm writes lists.
//
//   ExpandHostList("node[1-2,7]-ib,gpu1")  node1-ib node2-ib node7-ib gpu1
//   ExpandTaskCounts("2(x3),1")            2 2 2 1

#ifndef GYRE_COLLECTIVES_LAUNCH_HOST_LIST_H_
#define GYRE_COLLECTIVES_LAUNCH_HOST_LIST_H_

#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline collectives::launch {

// Names with any number of [ranges]; leading zeros keep their width. Errors:
// a text that is no such list, or one of more than kMaxRanks hosts.
StatusOr<std::vector<std::string>> ExpandHostList(std::string_view text);

// Errors: a text that is no such list, or one of more than kMaxRanks nodes.
StatusOr<std::vector<int>> ExpandTaskCounts(std::string_view text);

}  // namespace gyre::internal::inline collectives::launch

#endif  // GYRE_COLLECTIVES_LAUNCH_HOST_LIST_H_
