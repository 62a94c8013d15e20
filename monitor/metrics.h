// One line a step in metrics.jsonl, written by rank 0.
//
//   GYRE_ASSIGN_OR_RETURN(MetricsLog log, MetricsLog::Open(run.metrics()));
//   GYRE_RETURN_IF_ERROR(log.Write({.step = 7, .loss = 0.3, ...}));
//   GYRE_RETURN_IF_ERROR(log.Close());
//
// Lines are collected and written together: after a second, after 64 KiB, at
// Close, and at once after a step that was not clean, since the end may be
// near.
//
// A loss that is NaN is written as "NaN" (core/io/json.h).

#ifndef GYRE_MONITOR_METRICS_H_
#define GYRE_MONITOR_METRICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/monitor/buffered_lines.h"

namespace gyre::internal::inline monitor {

struct StepMetrics {
  std::int64_t step = 0;
  double loss = 0;
  double grad_norm = 0;   // global, before clipping
  double clip_scale = 1;  // what the gradient was multiplied with
  double lr = 0;
  std::string verdict = "clean";
  bool applied = true;         // did this step change the parameters?
  std::int64_t skipped = 0;    // steps skipped so far, this one included
  std::int64_t bad_count = 0;  // numbers of the gradient that are not finite
  double step_ms = 0;          // the whole step
  double wait_ms = 0;          // of it, waiting for other ranks
  Json more = Json::Object();  // what the application adds
};

Json ToJson(const StepMetrics& metrics);
StatusOr<StepMetrics> StepMetricsFromJson(const Json& json);

class MetricsLog {
 public:
  static StatusOr<MetricsLog> Open(const std::string& path);

  Status Write(const StepMetrics& metrics);
  Status Flush() { return lines_.Flush(); }
  Status Close() { return lines_.Close(); }

 private:
  explicit MetricsLog(BufferedLines lines) : lines_(std::move(lines)) {}

  BufferedLines lines_;
};

StatusOr<std::vector<StepMetrics>> ReadMetrics(const std::string& path);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_METRICS_H_
