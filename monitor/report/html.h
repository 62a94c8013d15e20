// Text as HTML: escaped, and small pieces that the report is built from.

#ifndef GYRE_MONITOR_REPORT_HTML_H_
#define GYRE_MONITOR_REPORT_HTML_H_

#include <string>
#include <string_view>
#include <vector>

namespace gyre::internal::inline monitor {

// Safe as text and as an attribute's value in double quotes.
std::string Escaped(std::string_view text);

// "<h2>...</h2>" in a section of its own, with an id to link to.
std::string Section(std::string_view id,
                    std::string_view title,
                    std::string_view body);

// Cells are HTML already. A column of numbers is set flush right: "r" in
// `columns`, "l" else, one letter a column.
std::string Table(const std::vector<std::string>& header,
                  const std::vector<std::vector<std::string>>& rows,
                  std::string_view columns,
                  std::string_view caption);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_REPORT_HTML_H_
