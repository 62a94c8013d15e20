// Ranks that follow each other and that one process hosts.

#ifndef GYRE_APPS_GYRE_LAUNCH_RANK_SPAN_H_
#define GYRE_APPS_GYRE_LAUNCH_RANK_SPAN_H_

#include <string>
#include <vector>

namespace gyre::internal::inline apps {

struct RankSpan {
  int first = 0;
  int count = 1;

  bool Has(int rank) const { return rank >= first && rank < first + count; }
};

// `ranks` from `first` on, over processes, as evenly as it goes: those that
// have one rank more come first. 0 processes: one for each rank.
std::vector<RankSpan> SpreadRanks(int ranks, int processes, int first = 0);

// "rank 4", "ranks 4 and 5", "ranks 4 to 7"
std::string Name(const RankSpan& span);
// "4", "4-7"
std::string ShortName(const RankSpan& span);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_RANK_SPAN_H_
