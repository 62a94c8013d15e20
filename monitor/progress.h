// How far a run is, for the person who waits for it.
//
//   Progress progress(ProgressOptions::ToStderr(config.steps));
//   progress.Report({.step = 7, .loss = 0.3, .grad_norm = 1.2, .skipped = 1});
//   progress.Finish();
//
// On a terminal one line that is renewed a few times a second:
//   step 412/1500  loss 0.3012  norm 1.24  skipped 3  310 steps/s  4 s left
// In a log a plain line every few seconds, the first step and the last.

#ifndef GYRE_MONITOR_PROGRESS_H_
#define GYRE_MONITOR_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gyre::internal::inline monitor {

using ProgressMetrics = std::vector<std::pair<std::string, double>>;

struct ProgressState {
  std::int64_t step = 0;  // counted from 0; the step that is done
  double loss = 0;
  double grad_norm = 0;
  std::int64_t skipped = 0;
  ProgressMetrics metrics = {};  // further numbers, as they are shown
};

struct ProgressOptions {
  std::int64_t first_step = 0;  // of this run; more than 0 after a resume
  std::int64_t total_steps = 0;
  bool terminal = false;
  double terminal_period_s = 0.1;
  double log_period_s = 5;
  std::function<void(std::string_view)> write;  // bytes as they are
  std::function<std::int64_t()> now_ns;         // monotonic

  static ProgressOptions ToStderr(std::int64_t total_steps,
                                  std::int64_t first_step = 0);
};

class Progress {
 public:
  explicit Progress(ProgressOptions options);

  void Report(const ProgressState& state);

  // Shows the last state, if it was not shown, and ends the renewed line.
  void Finish();

 private:
  void Show();

  ProgressOptions options_;
  std::int64_t start_ns_;
  std::int64_t shown_ns_ = 0;
  std::int64_t shown_step_ = -1;
  ProgressState state_;
  bool any_ = false;
};

// `seconds` is the time since the start of this run.
std::string ProgressLine(const ProgressState& state,
                         std::int64_t first_step,
                         std::int64_t total_steps,
                         double seconds);

// "4 s", "2 min 05 s", "1 h 02 min"
std::string Duration(double seconds);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_PROGRESS_H_
