// What a log says of one step: the input of the spike classifier.

#ifndef GYRE_MONITOR_SPIKES_TRACE_H_
#define GYRE_MONITOR_SPIKES_TRACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gyre::internal::inline monitor {

struct TraceRow {
  std::int64_t step = 0;
  // Absent where the log has none; a NaN is a number that was logged.
  std::optional<double> loss;
  std::optional<double> grad_norm;
  std::optional<double> eval_loss;
  std::optional<double> lr;
  bool accepted = true;  // false: the step changed nothing (a skip)
};

// In the order of the log: a step may be missing, and a smaller step than the
// one before is a restart.
struct Trace {
  std::vector<TraceRow> rows;
  std::vector<std::string> notes;  // what the reader passed over
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_TRACE_H_
