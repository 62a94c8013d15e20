// Sorts the bad stretches of a run, and sorts them again as it goes on.
//
//   SpikeClassifier classifier;
//   for (const TraceRow& row : trace.rows) classifier.Add(row);
//   for (const Spike& spike : classifier.Spikes()) ...
//
// An excursion of the loss, the gradient norm or the evaluation from its band
// (monitor/spikes/detector.h) is one spike, together with those of the other
// signals at the same time:
//
//   metric-only  the evaluation alone; or the loss, while a gradient norm was
//                recorded, moves by itself, and stayed where it was
//   divergent    it ends in numbers that are not finite, or still grows
//   transient    it came back, or is well on its way back
//   persistent   it stays at its new level, or did so for 200 values; or came
//                back only with the trend
//
// No class is a cause: that is "unknown" until something else shows it. A
// norm that leaves its band alone is a spike only if it doubles.
//
// WARNING 1: Spikes() says what the rows so far say. A spike that the log
// ends in is `open`, and may have another class when there are more rows.

#ifndef GYRE_MONITOR_SPIKES_CLASSIFIER_H_
#define GYRE_MONITOR_SPIKES_CLASSIFIER_H_

#include <vector>

#include "gyre/monitor/spikes/excursion.h"
#include "gyre/monitor/spikes/spike.h"
#include "gyre/monitor/spikes/trace.h"

namespace gyre::internal::inline monitor {

class SpikeClassifier {
 public:
  void Add(const TraceRow& row);

  // In the order of their first steps.
  std::vector<Spike> Spikes() const;

  // To begin with what another has learned from the same log.
  void TakeLimitsOf(const SpikeClassifier& other) {
    finder_.TakeLimitsOf(other.finder_);
  }

 private:
  std::vector<TraceRow> rows_;
  ExcursionFinder finder_;
};

// Of a whole log: it is gone through twice, so that what all of its steps
// teach about their noise holds from the first one on.
std::vector<Spike> ClassifyTrace(const Trace& trace);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_CLASSIFIER_H_
