// Where one signal of a trace left its band, and the detectors that find it.

#ifndef GYRE_MONITOR_SPIKES_EXCURSION_H_
#define GYRE_MONITOR_SPIKES_EXCURSION_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "gyre/monitor/spikes/detector.h"
#include "gyre/monitor/spikes/trace.h"

namespace gyre::internal::inline monitor {

enum class Signal { kLoss, kGradNorm, kEvalLoss };
inline constexpr int kSignals = 3;

std::string_view NameOf(Signal signal);
// What suits the signal.
DetectorOptions OptionsOf(Signal signal);
const std::optional<double>& ValueOf(const TraceRow& row, Signal signal);

// Positions are indices of rows of the trace.
struct Excursion {
  enum class End { kOpen, kReturned, kRelearned, kRestarted };

  Signal signal = Signal::kLoss;
  std::size_t first = 0;
  std::size_t last = 0;    // the last row outside the band
  std::size_t closed = 0;  // the row that ended it, unless it is open
  End end = End::kOpen;
  // Where a new level ended at the latest: there the next excursion of this
  // signal began that did not return.
  std::size_t limit = static_cast<std::size_t>(-1);
  double level = 0;  // before it; of the logarithm, for the norm
  double scale = 0;  // 0: in the warm-up, unknown
};

// The three detectors of a trace.
class ExcursionFinder {
 public:
  ExcursionFinder();

  // `row` is the next of the trace, at position `at`.
  void Add(const TraceRow& row, std::size_t at);
  const std::vector<Excursion>& excursions() const { return excursions_; }

  // To begin with what another has learned from the same log.
  void TakeLimitsOf(const ExcursionFinder& other);

 private:
  struct Watch {
    SpikeDetector detector;
    std::vector<std::size_t> rows;  // that have this signal
    std::ptrdiff_t current = -1;    // the open excursion
    std::deque<double> recent;      // its last finite values
  };

  void Observe(const TraceRow& row, std::size_t at, Signal signal);
  void Restart(std::size_t at);
  double ReferenceOf(Signal signal) const;

  std::vector<Watch> watches_;
  std::vector<Excursion> excursions_;
  std::optional<std::int64_t> last_step_;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_EXCURSION_H_
