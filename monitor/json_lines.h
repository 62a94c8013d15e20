// Reads a file of records, one JSON value a line (events, metrics).

#ifndef GYRE_MONITOR_JSON_LINES_H_
#define GYRE_MONITOR_JSON_LINES_H_

#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline monitor {

// A last line without its end is what a crash leaves, and is passed over.
// Errors name the file and the line.
StatusOr<std::vector<Json>> ReadJsonLines(const std::string& path);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_JSON_LINES_H_
