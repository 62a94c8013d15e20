// Which rank is on which host, and what a host can sum up on its own: the
// largest nodes of the tree over all ranks whose ranks are all on it. With
// ranks numbered host by host that is a sum or two for each host; with any
// other placement it is more, down to one for each rank.

#ifndef GYRE_COLLECTIVES_TWO_LEVEL_HOST_PLAN_H_
#define GYRE_COLLECTIVES_TWO_LEVEL_HOST_PLAN_H_

#include <span>
#include <vector>

#include "gyre/collectives/partial_reduce.h"

namespace gyre::internal::inline collectives {

class HostPlan {
 public:
  // hosts[r]: any number that tells the host of rank r (of the group).
  HostPlan(std::span<const int> hosts, int me);

  int hosts() const { return static_cast<int>(ranks_.size()); }
  int host_of(int rank) const { return host_of_[rank]; }
  // The ranks of a host, in order.
  const std::vector<int>& ranks(int host) const { return ranks_[host]; }
  const std::vector<RankRange>& nodes(int host) const { return nodes_[host]; }

  // This rank's host and its place among its ranks.
  int my_host() const { return host_of_[me_]; }
  int local_rank() const { return local_rank_; }
  const std::vector<int>& local_ranks() const { return ranks_[my_host()]; }

  // The rank that works on a host for the part of the data which `owner`, a
  // rank elsewhere, owns: all ranks of a host have the same share of them.
  int AgentOf(int host, int owner) const;

  // False when each rank has a host of its own.
  bool useful() const { return hosts() < static_cast<int>(host_of_.size()); }

 private:
  // Adds the nodes below `range`; true when it is on one host as a whole,
  // and then nothing has been added yet.
  bool Visit(const RankRange& range);

  std::vector<int> host_of_;
  int me_;
  int local_rank_ = 0;
  std::vector<std::vector<int>> ranks_;
  std::vector<std::vector<RankRange>> nodes_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_TWO_LEVEL_HOST_PLAN_H_
