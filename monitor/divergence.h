// Says that a run diverges while it does, from its first steps on, when the
// spike detectors have nothing to compare with yet:
//
//   - the loss, or the gradient's norm, is 1000 times that of the first steps;
//   - the norm was clipped in 95% of 50 steps: max_norm is the learning rate.
//
//   for (const std::string& text : divergence.Observe({...})) ...
//
// Each is said once a run.

#ifndef GYRE_MONITOR_DIVERGENCE_H_
#define GYRE_MONITOR_DIVERGENCE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline monitor {

class Divergence {
 public:
  static constexpr int kFirstSteps = 5;
  static constexpr double kTimes = 1000;
  static constexpr int kWindow = 50;
  static constexpr int kClipped = 48;  // of the window: more than 95%

  struct Step {
    std::int64_t step = 0;
    double loss = 0;
    double norm = 0;
    bool clipped = false;
  };

  // What is new in this step, for a person.
  std::vector<std::string> Observe(const Step& step);

  // For checkpoints: what the first steps were, and what was said.
  Json ToJson() const;
  Status Restore(const Json& json);

 private:
  // The largest of the first steps; a bad number is none of them.
  struct Signal {
    std::int64_t seen = 0;
    double largest = 0;
    bool told = false;

    // Whether the number is too large, for the first time.
    bool Observe(double number);
    Json ToJson() const;
    Status Restore(const Json& json);
  };

  Signal loss_;
  Signal norm_;
  std::array<bool, kWindow> clipped_ = {};
  std::int64_t steps_ = 0;
  bool told_clip_ = false;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_DIVERGENCE_H_
