// The frame of the report: its style, its one small script, its ends.

#ifndef GYRE_MONITOR_REPORT_PAGE_H_
#define GYRE_MONITOR_REPORT_PAGE_H_

#include <string>
#include <string_view>

namespace gyre::internal::inline monitor {

// A whole HTML file that needs nothing from elsewhere: its policy forbids it.
std::string Page(std::string_view title, std::string_view body);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_REPORT_PAGE_H_
