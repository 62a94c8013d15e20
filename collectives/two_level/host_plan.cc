#include "gyre/collectives/two_level/host_plan.h"

#include <algorithm>
#include <bit>
#include <map>

namespace gyre::internal::inline collectives {

HostPlan::HostPlan(std::span<const int> hosts, int me) : me_(me) {
  std::map<int, int> numbers;  // in the order of their first ranks
  for (const int host : hosts) {
    const int next = static_cast<int>(numbers.size());
    host_of_.push_back(numbers.try_emplace(host, next).first->second);
  }
  ranks_.resize(numbers.size());
  nodes_.resize(numbers.size());
  for (int r = 0; r < static_cast<int>(host_of_.size()); ++r) {
    if (r == me_) local_rank_ = static_cast<int>(ranks_[host_of_[r]].size());
    ranks_[host_of_[r]].push_back(r);
  }
  const RankRange all = {0, static_cast<int>(host_of_.size())};
  if (Visit(all)) nodes_[host_of_[0]].push_back(all);
}

bool HostPlan::Visit(const RankRange& range) {
  if (range.count == 1) return true;
  const int left =
      static_cast<int>(std::bit_floor(static_cast<unsigned>(range.count - 1)));
  const RankRange a = {range.first, left};
  const RankRange b = {range.first + left, range.count - left};
  const bool a_whole = Visit(a);
  const bool b_whole = Visit(b);
  if (a_whole && b_whole && host_of_[a.first] == host_of_[b.first]) return true;
  if (a_whole) nodes_[host_of_[a.first]].push_back(a);
  if (b_whole) nodes_[host_of_[b.first]].push_back(b);
  return false;
}

int HostPlan::AgentOf(int host, int owner) const {
  const std::vector<int>& home = ranks_[host_of_[owner]];
  const auto place = std::find(home.begin(), home.end(), owner) - home.begin();
  return ranks_[host][place % ranks_[host].size()];
}

}  // namespace gyre::internal::inline collectives
