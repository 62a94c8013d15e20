// The timeline of a run, from its ranks' records.
//
// The records hold how long a step took and how much of it was waiting, not
// when; so the ranks are lined up at the end of each step, where they meet.

#ifndef GYRE_MONITOR_RECORDS_TIMELINE_H_
#define GYRE_MONITOR_RECORDS_TIMELINE_H_

#include "gyre/monitor/records/run_records.h"
#include "gyre/monitor/sinks/chrome_trace.h"

namespace gyre::internal::inline monitor {

ChromeTrace TimelineOf(const RunRecords& records);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_RECORDS_TIMELINE_H_
