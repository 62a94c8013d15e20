// All that a run directory says, read as far as it can be read.
//
//   GYRE_ASSIGN_OR_RETURN(const RunRecords run, ReadRunRecords("runs/storm"));
//   run.metrics.size();
//   run.notes                // what was missing or spoilt
//
// A run that crashed is what these records are for: a file that is missing,
// cut off or spoilt is a note, not an error, and keys that nobody here knows
// are kept. Only a folder that is no run directory at all is an error.

#ifndef GYRE_MONITOR_RECORDS_RUN_RECORDS_H_
#define GYRE_MONITOR_RECORDS_RUN_RECORDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/monitor/event.h"
#include "gyre/monitor/spikes/trace.h"

namespace gyre::internal::inline monitor {

struct CheckpointRecord {
  std::string name;  // "step-00000100"
  Json manifest;     // null if it cannot be read
};

struct RunRecords {
  std::string path;
  Json run;      // run.json; null if it cannot be read
  Json summary;  // summary.json; null while the run goes on, or it failed
  Json maps;     // maps.json: of numbers on a grid (report/map_section.cc)
  std::vector<Json> metrics;  // one object a step
  // Of the runs that it goes on from, the steps before its own.
  std::vector<Json> before;
  std::vector<Event> events;               // in the file's order
  std::map<int, std::vector<Json>> ranks;  // one object a step
  std::vector<CheckpointRecord> checkpoints;
  std::vector<Json> causes;  // evidence/*/cause.json
  std::vector<std::string> notes;

  // Of all ranks; from run.json, or from the ranks' files.
  int world() const;
  std::vector<Event> EventsOf(std::string_view kind) const;
};

StatusOr<RunRecords> ReadRunRecords(const std::string& path);

// A member as a number; absent if there is none of that name.
std::optional<double> NumberIn(const Json& record, std::string_view key);
std::string TextIn(const Json& record, std::string_view key);

// The input of the spike classifier: `before`, then the run's own steps.
Trace TraceOf(const RunRecords& records);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_RECORDS_RUN_RECORDS_H_
