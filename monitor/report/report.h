// A run as one page to look at: `gyre report RUN`.
//
//   GYRE_ASSIGN_OR_RETURN(const RunRecords records, ReadRunRecords(path));
//   GYRE_RETURN_IF_ERROR(WriteFileAtomically(out, BuildReport(records)));
//
// One file with all in it: no network, no script from elsewhere. It shows
// what the records hold and leaves out what they do not.

#ifndef GYRE_MONITOR_REPORT_REPORT_H_
#define GYRE_MONITOR_REPORT_REPORT_H_

#include <string>

#include "gyre/monitor/records/run_records.h"

namespace gyre::internal::inline monitor {

std::string BuildReport(const RunRecords& records);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_REPORT_REPORT_H_
