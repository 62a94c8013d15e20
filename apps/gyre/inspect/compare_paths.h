// Two runs, checkpoints or kept steps, held against each other.

#ifndef GYRE_APPS_GYRE_INSPECT_COMPARE_PATHS_H_
#define GYRE_APPS_GYRE_INSPECT_COMPARE_PATHS_H_

#include <string>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

// A path that ends in .json and stands for a run.
bool IsJsonFile(const std::string& path);
StatusOr<Json> ReadJson(const std::string& path);

// {"run": as CompareJson, "checkpoint": as CompareCheckpoints}
// (monitor/inspect/inspect.h), each where both paths have it.
StatusOr<Json> ComparePaths(const std::string& a, const std::string& b);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_INSPECT_COMPARE_PATHS_H_
