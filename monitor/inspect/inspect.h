// A run or a checkpoint in words, and two of them compared.

#ifndef GYRE_MONITOR_INSPECT_INSPECT_H_
#define GYRE_MONITOR_INSPECT_INSPECT_H_

#include <string>

#include "gyre/core/io/json.h"
#include "gyre/monitor/inspect/checkpoint_files.h"
#include "gyre/monitor/records/run_records.h"

namespace gyre::internal::inline monitor {

// {"program", "steps", "last_step", "checkpoints": [...], ...}
Json InspectRun(const RunRecords& records);

// {"next_step", "good", "problems", "tensors": {name: {"dtype", "shape",
//  "least", "largest", "norm", "not_finite"}}}
Json InspectCheckpoint(const CheckpointFiles& files);

// {"same", "differences": [{"path", "a", "b"}]}
Json CompareJson(const Json& a, const Json& b);

// {"same", "manifest": as CompareJson, "only_a", "only_b", "equal",
//  "tensors": {name: {"different", "elements", "first", "largest",
//  "relative", "largest_relative", "not_finite_a", "not_finite_b"}},
//  "problems_a", "problems_b"}: tensors that are equal are only counted.
Json CompareCheckpoints(const CheckpointFiles& a, const CheckpointFiles& b);

// Any of these for people: indented, one member a line.
std::string InWords(const Json& json);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_INSPECT_INSPECT_H_
