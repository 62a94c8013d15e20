// Numbers of the records as lines over the steps.

#ifndef GYRE_MONITOR_REPORT_SERIES_H_
#define GYRE_MONITOR_REPORT_SERIES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/monitor/records/run_records.h"
#include "gyre/monitor/report/chart.h"
#include "gyre/monitor/report/heat_map.h"

namespace gyre::internal::inline monitor {

// The member `key` of every record that has it.
ChartLine LineOf(const std::vector<Json>& records,
                 std::string_view key,
                 std::string name,
                 std::string css);

// Of all ranks at each step: the largest and the smallest.
std::pair<ChartLine, ChartLine> RankExtremes(const RunRecords& records,
                                             std::string_view key);

// Numeric members that are not of the standard record: what the application
// adds, in the order in which they first come.
std::vector<std::string> ExtraKeys(const std::vector<Json>& records);

// Members that are objects of numbers, such as a norm by tensor: one row for
// each of its keys. An object in an object is named "outer/inner".
std::vector<HeatMap> ObjectsOfNumbers(const std::vector<Json>& records);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_REPORT_SERIES_H_
