// A bad stretch of a run: what kind it is, and why we say so.

#ifndef GYRE_MONITOR_SPIKES_SPIKE_H_
#define GYRE_MONITOR_SPIKES_SPIKE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/io/json.h"

namespace gyre::internal::inline monitor {

enum class SpikeClass {
  kTransient,   // it came back by itself
  kPersistent,  // a new level, and it stays there
  kDivergent,   // it grows, or ends in numbers that are not finite
  kMetricOnly,  // a metric moved, and training did not
};

std::string_view NameOf(SpikeClass spike_class);  // "metric-only"

struct Spike {
  SpikeClass spike_class = SpikeClass::kTransient;
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;             // the last outside the band
  double peak = 0;                        // NaN if no number was finite
  std::optional<double> baseline_before;  // absent in the warm-up
  std::optional<double> baseline_after;   // absent if nothing is finite
  std::vector<std::string> signals;       // "loss", "grad_norm", "eval_loss"
  bool open = false;  // the log ends within it: may yet be revised
  std::string cause = "unknown";
  std::vector<std::string> evidence;  // sentences
};

// {"class", "first_step", "last_step", "peak", "baseline_before",
//  "baseline_after", "signals", "open", "cause", "evidence"}
Json ToJson(const Spike& spike);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_SPIKE_H_
