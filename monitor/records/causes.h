// What the records of a run show about the cause of its spikes.
//
//   std::vector<Spike> spikes = SpikesOf(records);
//   spikes[0].cause    // "rank 0 had bad numbers, first in hidden0.w; ..."
//
// A cause is named only if a record of the same steps names it: a fault that
// was injected, a cause.json, a verdict of the guard. Otherwise it stays
// "unknown".

#ifndef GYRE_MONITOR_RECORDS_CAUSES_H_
#define GYRE_MONITOR_RECORDS_CAUSES_H_

#include <string>
#include <vector>

#include "gyre/monitor/records/run_records.h"
#include "gyre/monitor/spikes/spike.h"

namespace gyre::internal::inline monitor {

std::vector<Spike> SpikesOf(const RunRecords& records);

// An event in one line: what its kind has to say.
std::string DescribeEvent(const Event& event);

// A cause.json in one line: operation, file and line, sample, value.
std::string DescribeCause(const Json& cause);

// ["a", "b"] as "a, b", with at most `most` of them.
std::string JoinedNames(const Json* array, std::size_t most = 3);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_RECORDS_CAUSES_H_
