// One line a step in ranks/00003.jsonl: what only this rank knows.
//
// The global numbers hide who was first and who is slow; these do not.

#ifndef GYRE_MONITOR_RANK_LOG_H_
#define GYRE_MONITOR_RANK_LOG_H_

#include <cstdint>
#include <string>
#include <utility>

#include "gyre/monitor/buffered_lines.h"

namespace gyre::internal::inline monitor {

struct RankRecord {
  std::int64_t step = 0;
  double local_norm = 0;          // of this rank's gradient, finite part
  std::int64_t bad_elements = 0;  // of it, before any reduction
  std::uint64_t decision = 0;     // the verdict's id: equal on all ranks
  double step_ms = 0;
  double wait_ms = 0;          // of it, reducing and waiting for others
  Json more = Json::Object();  // telemetry, where the step has some
};

Json ToJson(const RankRecord& record);

class RankLog {
 public:
  static StatusOr<RankLog> Open(const std::string& path);

  Status Write(const RankRecord& record);
  Status Flush() { return lines_.Flush(); }
  Status Close() { return lines_.Close(); }

 private:
  explicit RankLog(BufferedLines lines) : lines_(std::move(lines)) {}

  BufferedLines lines_;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_RANK_LOG_H_
