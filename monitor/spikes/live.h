// Spikes while the run goes on: an event at once, a class later.
//
//   LiveSpikes spikes;
//   for (const LiveSpike& s : spikes.Observe({.step = 7, .loss = 0.3, ...})) {
//     LogWarning(s.Describe());
//   }
//
// The detectors of `gyre spikes` (monitor/spikes/detector.h) on loss and
// gradient norm. What class a spike is of shows only afterwards; the report
// and `gyre spikes` say it. A step that was skipped, or whose numbers are not
// finite, is another event already and none here.

#ifndef GYRE_MONITOR_SPIKES_LIVE_H_
#define GYRE_MONITOR_SPIKES_LIVE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/monitor/spikes/excursion.h"

namespace gyre::internal::inline monitor {

struct LiveSpike {
  Signal signal = Signal::kLoss;
  std::int64_t step = 0;   // that raised the alarm
  std::int64_t first = 0;  // of the steps that led to it
  double value = 0;
  double baseline = 0;  // what was expected there
  // Of the value above the baseline, in units of the spread; of the
  // logarithm, for the norm.
  double z = 0;

  // "loss 0.91 at step 412, where 0.2 was expected (14.1 scales above it)"
  std::string Describe() const;
};

class LiveSpikes {
 public:
  LiveSpikes();

  // The next step; a smaller one than the last is a restart.
  std::vector<LiveSpike> Observe(const TraceRow& row);

  // For a checkpoint.
  Json ToJson() const;
  Status Restore(const Json& json);

 private:
  SpikeDetector loss_;
  SpikeDetector norm_;
  std::int64_t last_step_ = -1;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_LIVE_H_
