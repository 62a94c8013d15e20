// What differs between two JSON values, leaf by leaf.
//
//   for (const JsonDifference& d : DiffJson(a, b)) ...
//   d.path == "config.lr", d.a == 0.003, d.b == 0.03

#ifndef GYRE_MONITOR_INSPECT_JSON_DIFF_H_
#define GYRE_MONITOR_INSPECT_JSON_DIFF_H_

#include <optional>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"

namespace gyre::internal::inline monitor {

struct JsonDifference {
  std::string path;       // "config.lr", "missing[2]"
  std::optional<Json> a;  // absent: it is not there
  std::optional<Json> b;
};

// In the order of `a`, then what only `b` has.
std::vector<JsonDifference> DiffJson(const Json& a, const Json& b);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_INSPECT_JSON_DIFF_H_
