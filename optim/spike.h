// Gradients that are finite and yet wild: a limit on the norm that follows the
// run.
//
//   limit = median + factor * max(1.4826 MAD, least_deviation * median)
//
// over the norms of the last `window` steps that were applied and clean. MAD
// is the median distance from the median; 1.4826 makes it the standard
// deviation of a normal distribution (Rousseeuw and Croux, Alternatives to the
// Median Absolute Deviation, 1993).
//
//   Guard{.max_norm = 10,
//         .spike = {.action = SpikeAction::kSkip, .factor = 8}}
//
// What is above the limit is not remembered, and neither is a NaN: a spike
// does not raise the limit for the next one. The history is part of the
// guard's state and of every checkpoint.
//
// WARNING 1: a norm that rises for good stays above the limit: under kSkip the
// skip budget then ends the run and says so.

#ifndef GYRE_OPTIM_SPIKE_H_
#define GYRE_OPTIM_SPIKE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::optim {

enum class SpikeAction : std::uint8_t {
  kIgnore,  // no rule
  kClip,    // the gradient is scaled down to the limit
  kSkip,    // the step changes nothing
};

struct SpikeRule {
  SpikeAction action = SpikeAction::kIgnore;
  double factor = 8;
  int window = 128;
  int warmup = 32;               // clean steps before the rule speaks
  double least_deviation = 0.1;  // of the median, so that calm is no alarm

  Status Validate() const;
  std::string Describe() const;

  friend bool operator==(const SpikeRule&, const SpikeRule&) = default;
};

// A norm that no batch makes: one wrong number of 1e30 is finite, and a clip
// would make it the whole step. The limit is
//
//   max(factor * median, 10 * the largest, floor)
//
// over the last clean norms; before there are enough of them, `first_limit`. A
// step above it is skipped, whatever the guard's policy, but for kObserve.
// After `patience` skips in a row the run is taken to have changed for good,
// and what is below `hopeless` medians is let through.
struct AbsurdRule {
  double factor = 1000;  // 0: no rule
  double floor = 10;
  double first_limit = 1e24;
  double hopeless = 1e6;
  int warmup = 8;    // clean steps
  int patience = 3;  // skips

  Status Validate() const;

  friend bool operator==(const AbsurdRule&, const AbsurdRule&) = default;
};

// The norms that the rules remember, oldest overwritten first.
class NormHistory {
 public:
  void Add(double norm, const SpikeRule& rule);
  // Infinity while there are too few.
  double Limit(const SpikeRule& rule) const;
  // `skips`: in a row, before this step.
  double Limit(const AbsurdRule& rule, std::int64_t skips) const;
  // Whether a norm is above that limit, which is not computed below the floor.
  bool IsAbsurd(double norm, const AbsurdRule& rule, std::int64_t skips) const;
  // 0: there are none.
  double median() const;

  const std::vector<double>& norms() const { return norms_; }
  std::int64_t next() const { return next_; }
  // As it was saved. Error: not what norms() and next() can be.
  static StatusOr<NormHistory> From(std::vector<double> norms,
                                    std::int64_t next);

  friend bool operator==(const NormHistory&, const NormHistory&) = default;

 private:
  std::vector<double> norms_;
  std::int64_t next_ = 0;  // the place of the next one, once full
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_SPIKE_H_
