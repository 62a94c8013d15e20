// Synthetic traces with known classes: what the spike classifier is held to.
//
// Each trace has a trend (falling, flat, negative, through zero), a noise
// (normal, Student-t, lognormal, correlated from step to step), a scale that
// may drift, a gradient norm that follows the loss where training was hurt,
// and at most one bad stretch, which is its label.

#ifndef GYRE_TESTS_MONITOR_SPIKES_TRACE_SUITE_H_
#define GYRE_TESTS_MONITOR_SPIKES_TRACE_SUITE_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include "gyre/monitor/spikes/spike.h"
#include "gyre/monitor/spikes/trace.h"

namespace gyre::internal::inline tests {

enum class NoiseKind { kNormal, kStudent5, kStudent3, kLognormal, kCorrelated };
inline constexpr int kNoiseKinds = 5;

class Noise {
 public:
  Noise(NoiseKind kind, std::uint64_t seed) : kind_(kind), random_(seed) {}

  // With a scale (MAD times 1.4826) of one, more or less.
  double Next() {
    std::normal_distribution<double> normal;
    switch (kind_) {
      case NoiseKind::kNormal:
        return normal(random_);
      case NoiseKind::kStudent5:
        return std::student_t_distribution<double>(5)(random_) / 1.077;
      case NoiseKind::kStudent3:
        return std::student_t_distribution<double>(3)(random_) / 1.134;
      case NoiseKind::kLognormal:
        return (std::exp(0.4 * normal(random_)) - 1) / 0.4;
      case NoiseKind::kCorrelated:
        break;
    }
    state_ = 0.8 * state_ + 0.6 * normal(random_);
    return state_;
  }

  double Uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random_);
  }
  int Pick(int count) {
    return std::uniform_int_distribution<int>(0, count - 1)(random_);
  }

 private:
  NoiseKind kind_;
  std::mt19937_64 random_;
  double state_ = 0;
};

// A loss as it falls, without its noise.
struct Trend {
  double start = 4;
  double floor = 2;
  double time = 300;  // steps
  double At(double step) const {
    return floor + (start - floor) * std::exp(-step / time);
  }
};

inline Trend MakeTrend(Noise& random) {
  switch (random.Pick(4)) {
    case 0:
      return {random.Uniform(3, 11), random.Uniform(1, 3), 250};
    case 1:
      return {2, 2, 1};  // flat
    case 2:
      return {-1, -4, 500};  // a negative log-likelihood
    default:
      return {0.5, 1e-3, 150};  // to nearly nothing
  }
}

struct LabelledTrace {
  Trace trace;
  std::optional<SpikeClass> label;  // absent: healthy
  std::int64_t at = 0;              // the first bad step
};

// The excess of the loss over its trend, in scales, `since` steps after the
// stretch began.
struct BadStretch {
  SpikeClass spike_class = SpikeClass::kTransient;
  double height = 20;
  double time = 10;  // decay, or growth
  int lasts = 20;    // of what has an end
  int form = 0;

  double Excess(int since) const {
    if (since < 0) return 0;
    switch (spike_class) {
      case SpikeClass::kTransient:
        return form == 0 ? (since < lasts ? height : 0)
                         : height * std::exp(-since / time);
      case SpikeClass::kPersistent:
        return height * (form == 0 ? 1 : 1 - std::exp(-(since + 1) / 4.0));
      case SpikeClass::kDivergent:
        if (form == 0 && since >= lasts) {
          return std::numeric_limits<double>::quiet_NaN();
        }
        return form == 1 ? height * (since + 1) / time
                         : height * std::exp(std::min(since / time, 200.0));
      case SpikeClass::kMetricOnly:
        break;
    }
    return form == 2 ? height : since < lasts ? height : 0;
  }
};

inline BadStretch MakeStretch(SpikeClass spike_class, Noise& random) {
  BadStretch s;
  s.spike_class = spike_class;
  s.form = random.Pick(spike_class == SpikeClass::kTransient ? 2 : 3);
  s.height = std::exp(random.Uniform(std::log(8), std::log(150)));
  s.time = random.Uniform(4, 40);
  s.lasts = random.Pick(60) + 4;
  // Of an evaluation every 20 steps, three or more see it.
  if (spike_class == SpikeClass::kMetricOnly && s.form == 0) s.lasts += 60;
  if (spike_class == SpikeClass::kDivergent) {
    s.height = random.Uniform(2, 10);
  }
  return s;
}

// `steps` of a run with one bad stretch of this class, or none.
inline LabelledTrace MakeTrace(std::optional<SpikeClass> label,
                               NoiseKind kind,
                               std::uint64_t seed,
                               int steps = 1200) {
  Noise noise(kind, seed);
  Noise norm_noise(NoiseKind::kNormal, seed ^ 0x5eed);
  const Trend trend = MakeTrend(noise);
  const double size = std::abs(trend.start - trend.floor) + trend.floor * 0.2;
  const double scale = noise.Uniform(0.005, 0.03) * std::abs(size) + 1e-4;
  const bool drifts = noise.Pick(3) == 0;
  LabelledTrace made;
  made.label = label;
  made.at = 400 + noise.Pick(steps - 700);
  const BadStretch bad =
      MakeStretch(label.value_or(SpikeClass::kTransient), noise);
  const bool of_eval = label == SpikeClass::kMetricOnly && bad.form == 0;
  const double norm_level = noise.Uniform(0.1, 5);
  const auto width_at = [&](double i) {
    return scale * (drifts ? 1 + 1.5 * i / steps : 1);
  };
  const double jump = width_at(static_cast<double>(made.at));
  for (int i = 0; i < steps; ++i) {
    const double width = width_at(i);
    const double excess =
        label.has_value() ? bad.Excess(i - static_cast<int>(made.at)) : 0;
    TraceRow row;
    row.step = i;
    const double healthy = trend.At(i) + width * noise.Next();
    row.loss = healthy + (of_eval ? 0 : jump * excess);
    // The norm follows where the parameters were hurt.
    double heat = 1;
    if (label != SpikeClass::kMetricOnly) {
      heat = 1 + 0.15 * std::max(excess, 0.0);
      if (std::isnan(excess)) heat = excess;
    }
    row.grad_norm = norm_level * heat * std::exp(0.15 * norm_noise.Next());
    if (i % 20 == 0) {
      row.eval_loss = trend.At(i) * 1.05 + 0.5 * width * noise.Next() +
                      (std::isnan(excess)
                           ? 0
                           : jump * (of_eval ? 3 : 1) * std::max(excess, 0.0));
    }
    row.lr = 1e-3;
    made.trace.rows.push_back(row);
  }
  return made;
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_MONITOR_SPIKES_TRACE_SUITE_H_
