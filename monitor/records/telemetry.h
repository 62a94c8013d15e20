// Telemetry as lines over the steps, put together from all ranks' records
// (train/records/telemetry.h writes them).

#ifndef GYRE_MONITOR_RECORDS_TELEMETRY_H_
#define GYRE_MONITOR_RECORDS_TELEMETRY_H_

#include <string>
#include <vector>

#include "gyre/monitor/records/run_records.h"

namespace gyre::internal::inline monitor {

struct TelemetryLine {
  std::string name;
  std::vector<double> x;  // steps
  std::vector<double> y;
};

// Of each of the numbers layers/`key`/NAME in the ranks' records, the largest
// of the ranks that recorded the step; what is not finite counts as larger.
std::vector<TelemetryLine> LargestOfRanks(const RunRecords& records,
                                          std::string_view key);

// The mean losses of the application's groups over all ranks, at steps where
// the group has a member.
std::vector<TelemetryLine> GroupLosses(const RunRecords& records);

// machine/`key` of the ranks' records: the largest of the ranks.
TelemetryLine MachineLine(const RunRecords& records, std::string_view key);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_RECORDS_TELEMETRY_H_
