// One row of a log, before its columns have a meaning; and its two notations.

#ifndef GYRE_MONITOR_SPIKES_TRACE_RECORD_H_
#define GYRE_MONITOR_SPIKES_TRACE_RECORD_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline monitor {

struct TraceField {
  std::string name;
  std::optional<double> number;  // absent: the field says that there is none
  bool null = false;             // JSON's null
  bool is_number = true;         // false: another text, in `text`
  std::string text;
};

struct TraceRecord {
  std::size_t line = 0;  // in the file, from 1
  std::vector<TraceField> fields;

  const TraceField* Find(std::string_view name) const;
};

struct TraceRecords {
  std::vector<TraceRecord> records;
  std::vector<std::string> names;  // of all fields, in their first order
  std::vector<std::string> notes;
};

StatusOr<TraceRecords> ParseJsonTrace(std::string_view text,
                                      const std::string& what);
StatusOr<TraceRecords> ParseCsvTrace(std::string_view text,
                                     const std::string& what);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_TRACE_RECORD_H_
