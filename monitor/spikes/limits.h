// What is too much, for one step and for several together.
//
//   Limits limits;
//   const Limits::Values values = Limits::Of(last_z);   // newest last
//   if (limits.Exceeded(values)) ... else limits.Learn(values);
//
// Five statistics of the last steps' distances z from the level: z of one
// step, and what 2 of 2, 3 of 4, 5 of 8 and 10 of 16 exceed. Healthy steps
// exceed the limit of each once in a million.
//
// That of one step is a far quantile of z (monitor/spikes/tail.h). If steps
// were independent, "5 of 8 exceed x" had the probability C(8,5) p(x)^5: one
// in a million where p(x) = 2.8%, a quantile that is known after a hundred
// steps. Noise that is correlated from step to step makes them exceed it
// together: by how much is measured on the statistic's own 5% quantile, and
// the limit is raised in that proportion. While little has been seen, a
// careful belief counts for more than the data.

#ifndef GYRE_MONITOR_SPIKES_LIMITS_H_
#define GYRE_MONITOR_SPIKES_LIMITS_H_

#include <array>
#include <cstdint>
#include <deque>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/monitor/spikes/tail.h"

namespace gyre::internal::inline monitor {

class Limits {
 public:
  static constexpr int kStatistics = 5;
  static constexpr int kLongest = 16;  // steps
  // Minus infinity where there are too few steps.
  using Values = std::array<double, kStatistics>;

  Limits();

  static Values Of(const std::deque<double>& last_z);
  bool Exceeded(const Values& values) const;
  // `offset`: how far the last steps lie from the level on the whole, which
  // is taken off, since a level that is too high hides what noise there is.
  void Learn(const Values& values, double offset = 0);
  double limit(int statistic) const { return limits_[statistic]; }

  Json ToJson() const;
  Status Restore(const Json& json);

 private:
  void Fit();
  double OneStep() const;
  double Several(int statistic) const;

  std::array<Tail, kStatistics> tails_;
  std::array<double, kStatistics> limits_;
  std::int64_t next_fit_ = 32;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_LIMITS_H_
