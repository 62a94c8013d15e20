#include "apps/gyre/launch/rank_span.h"

#include <numeric>

#include "gyre/collectives/describe.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

std::vector<RankSpan> SpreadRanks(int ranks, int processes, int first) {
  if (processes == 0) processes = ranks;
  std::vector<RankSpan> spans;
  for (int p = 0; p < processes; ++p) {
    const int count = ranks / processes + (p < ranks % processes ? 1 : 0);
    spans.push_back({first, count});
    first += count;
  }
  return spans;
}

std::string Name(const RankSpan& span) {
  std::vector<int> ranks(span.count);
  std::iota(ranks.begin(), ranks.end(), span.first);
  return RankList(ranks);
}

std::string ShortName(const RankSpan& span) {
  if (span.count == 1) return Cat(span.first);
  return Cat(span.first, "-", span.first + span.count - 1);
}

}  // namespace gyre::internal::inline apps
