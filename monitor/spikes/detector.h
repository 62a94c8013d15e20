// Watches one number of a run (its loss, its gradient norm) for jumps.
//
//   SpikeDetector detector({});
//   const Reading r = detector.Observe(report.loss, report.applied);
//   if (r.excursion && r.starts > 0) ...  // began r.starts - 1 steps ago
//
// The level is a robust line through the last 128 accepted steps, and the
// scale their MAD about it, so a falling loss does not widen the band. A step
// is judged by its distance z from the level in units of the scale, alone and
// together with its neighbours: z of 1 step, and what 2 of 2, 3 of 4, 5 of 8
// and 10 of 16 exceed. Each of these five has a limit that it learns from the
// healthy steps (monitor/spikes/limits.h), so neither heavy tails nor noise
// that is correlated from step to step raise alarms; and a jump that is too
// small for one step is found when it lasts.
//
// An alarm, and a step that is not finite or was not accepted, opens an
// excursion. While it is open nothing enters the history: an outlier never
// becomes normal. It closes when eight steps are back in the band; or when
// the run has stayed at a new level for `relearn` steps, which is then the
// level. A slow rise, which the level would follow, is an alarm once it is
// `drift` scales above the lowest level so far.
//
// Alarms are for upward jumps. Nothing here divides by the level: a loss may
// be negative or near zero. A loss that does not vary at all gets a scale of
// a thousandth of its size.
//
// WARNING 1: state is kept in steps seen, not in step numbers: after a
// restart at an earlier step call Restarted().

#ifndef GYRE_MONITOR_SPIKES_DETECTOR_H_
#define GYRE_MONITOR_SPIKES_DETECTOR_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/monitor/spikes/limits.h"
#include "gyre/monitor/spikes/median_window.h"

namespace gyre::internal::inline monitor {

struct DetectorOptions {
  int window = 128;        // accepted steps in the history
  int warm_up = 32;        // of them, before the first alarm
  int relearn = 200;       // steps until a new level is the level
  double drift = 12;       // scales of a slow rise; 0: not looked for
  bool log_scale = false;  // for what is positive, such as a norm
};

struct Reading {
  double z = 0;            // scales above the level; infinite if not finite
  double level = 0;        // expected; in an excursion, before it
  double scale = 0;        // 0 in the warm-up
  bool excursion = false;  // this step belongs to one
  int starts = 0;          // > 0: opened now, this many steps ago, plus one
  bool returned = false;   // closed now: back in the band
  bool relearned = false;  // closed now: this is the level from here on
};

class SpikeDetector {
 public:
  explicit SpikeDetector(const DetectorOptions& options);

  // `accepted`: false for a step that changed nothing (a skip).
  Reading Observe(double value, bool accepted = true);

  // The run went back to an earlier step: an open excursion is dropped.
  void Restarted();

  // Of a log that is known as a whole, the limits may be those that its own
  // steps teach, from the first step on.
  const Limits& limits() const { return limits_; }
  void set_limits(const Limits& limits) { limits_ = limits; }

  // What one fit leaves for the next: its results, near which those of the
  // next lie, and memory. No number depends on it.
  struct Fitting {
    double mad_guess = 0;
    double step_guess = 0;
    std::vector<double> rest, steps, scratch;
  };

  // For a checkpoint; the options are not in it.
  Json ToJson() const;
  Status Restore(const Json& json);

 private:
  struct Band {
    double level = 0;
    double scale = 0;
    double recent = 0;  // median of the newer half
    bool rising = false;
  };

  Band FitBand();
  double Scale(double mad, double level) const;
  int Alarm(const Limits::Values& values) const;
  void AddZ(double z);
  int Drifted(const Band& band);
  void Open(const Band& band, int starts);
  void Hold(double value, bool good, Reading& reading);
  bool Settled() const;
  void Close(std::size_t keep);

  DetectorOptions options_;
  MedianWindow window_;   // accepted
  std::deque<double> z_;  // of the last steps, in the open band
  SortedRun recent_z_;    // the newest of them
  Limits limits_;
  bool open_ = false;
  Band held_;                  // the band when the excursion began
  std::deque<double> inside_;  // finite values of the excursion
  std::int64_t steps_inside_ = 0;
  double best_ = 0;        // lowest level so far
  double best_scale_ = 0;  // 0: none
  double largest_ = 0;     // size of the largest level
  std::int64_t since_calm_ = 0;
  Fitting fitting_;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_DETECTOR_H_
