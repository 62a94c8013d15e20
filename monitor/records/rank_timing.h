// Who is late: the ranks' own clocks, compared.
//
// All ranks meet in the reductions. Where the records say who entered last,
// that is it; else it is the one that waits least there: the others waited for
// it.

#ifndef GYRE_MONITOR_RECORDS_RANK_TIMING_H_
#define GYRE_MONITOR_RECORDS_RANK_TIMING_H_

#include <cstddef>
#include <vector>

#include "gyre/monitor/records/run_records.h"

namespace gyre::internal::inline monitor {

struct RankTiming {
  int rank = 0;
  std::size_t steps = 0;
  double step_ms = 0;  // medians
  double wait_ms = 0;
  double longest_ms = 0;  // of its steps
  // Share of the steps in which it came last, by more than a fifth of the
  // median step and a millisecond; the others then waited for it.
  double late_share = 0;
};

// Empty if the run has fewer than two ranks' records.
std::vector<RankTiming> TimingOf(const RunRecords& records);

// The rank that comes last in a tenth of the steps or more, and three times
// as often as any other; nobody, if lateness goes round.
const RankTiming* StragglerOf(const std::vector<RankTiming>& timing);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_RECORDS_RANK_TIMING_H_
