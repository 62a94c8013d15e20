// Numbers that change with the steps, and the stages that scale by them.
//
//   ScaleByLearningRate{1e-3};
//   ScaleByLearningRate{WarmupCosine{.peak = 3e-3, .warmup = 50,
//                                    .total = 1500}};
//   ScaleByLearningRate{[](std::int64_t step) { return 1.0 / (step + 10); }};
//
// A schedule is a number, or any function of the number of updates applied so
// far (0 for the first) that gives a double. A skipped step does not advance
// it.
//
// WARNING 1: ScaleBySchedule keeps the sign, as Optax's scale_by_schedule
// does: a chain with it needs a Scale{-1} to go downhill.
// ScaleByLearningRate turns the sign itself.

#ifndef GYRE_OPTIM_SCHEDULE_H_
#define GYRE_OPTIM_SCHEDULE_H_

#include <cmath>
#include <concepts>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "gyre/core/finite.h"
#include "gyre/optim/stage.h"

namespace gyre::optim {

template <class S>
concept ScheduleFunction = requires(const S schedule, std::int64_t step) {
  { schedule(step) } -> std::convertible_to<double>;
};

struct Constant {
  double value = 1e-3;

  double operator()(std::int64_t) const { return value; }
  std::string Describe() const {
    return Cat("constant(", internal::Number(value), ")");
  }
};

// A straight line from the first value to the last, then flat.
struct Linear {
  double from = 0;
  double to = 1e-3;
  std::int64_t steps = 1;

  double operator()(std::int64_t step) const {
    if (step >= steps) return to;
    const double done = static_cast<double>(step) / static_cast<double>(steps);
    return from + (to - from) * done;
  }
  Status Validate() const {
    if (steps >= 1) return OkStatus();
    return ConfigError("Linear needs steps >= 1, got ", steps);
  }
  std::string Describe() const {
    return Cat("linear(",
               internal::Number(from),
               " to ",
               internal::Number(to),
               " in ",
               steps,
               ")");
  }
};

// The rate of a step of the warm-up: a line from `start`, which the first step
// has, to `peak`, which the step behind the warm-up has. Without a start, as
// long as the line that reaches `peak` with the last step of the warm-up: the
// first step moves by peak / warmup, where a line from 0 would lose it.
inline double WarmUp(const std::optional<double>& start,
                     double peak,
                     std::int64_t warmup,
                     std::int64_t step) {
  if (start.has_value()) return Linear{*start, peak, warmup}(step);
  return Linear{0, peak, warmup}(step + 1);
}

// WarmUp to `peak` in `warmup` steps, half a cosine down to `end` at step
// `total`, then flat.
// Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts,
// 2017, without the restarts.
struct WarmupCosine {
  double peak = 1e-3;
  std::int64_t warmup = 0;
  std::int64_t total = 1000;  // warm-up included
  std::optional<double> start = {};
  double end = 0;

  double operator()(std::int64_t step) const {
    if (step < warmup) return WarmUp(start, peak, warmup, step);
    if (step >= total) return end;
    const double done = static_cast<double>(step - warmup) /
                        static_cast<double>(total - warmup);
    const double fall = 0.5 * (1 + std::cos(std::numbers::pi * done));
    return end + (peak - end) * fall;
  }
  Status Validate() const {
    if (warmup >= 0 && total > warmup) return OkStatus();
    return ConfigError("WarmupCosine needs 0 <= warmup < total; got warmup ",
                       warmup,
                       ", total ",
                       total);
  }
  std::string Describe() const {
    return Cat("warmup_cosine(peak=",
               internal::Number(peak),
               ", warmup=",
               warmup,
               ", total=",
               total,
               start.has_value() ? ", start=" + internal::Number(*start) : "",
               ", end=",
               internal::Number(end),
               ")");
  }
};

// Warm-up, stable, decay: WarmUp to `peak`, a plateau until `decay_from`,
// a line down to `end` at step `total`, then flat.
// Hu et al., MiniCPM: Unveiling the Potential of Small Language Models, 2024.
struct WarmupStableDecay {
  double peak = 1e-3;
  std::int64_t warmup = 0;
  std::int64_t decay_from = 800;
  std::int64_t total = 1000;
  std::optional<double> start = {};
  double end = 0;

  double operator()(std::int64_t step) const {
    if (step < warmup) return WarmUp(start, peak, warmup, step);
    if (step < decay_from) return peak;
    return Linear{peak, end, total - decay_from}(step - decay_from);
  }
  Status Validate() const {
    if (warmup >= 0 && decay_from >= warmup && total > decay_from) {
      return OkStatus();
    }
    return ConfigError(
        "WarmupStableDecay needs 0 <= warmup <= decay_from < total; got ",
        warmup,
        ", ",
        decay_from,
        ", ",
        total);
  }
  std::string Describe() const {
    return Cat("warmup_stable_decay(peak=",
               internal::Number(peak),
               ", warmup=",
               warmup,
               ", decay_from=",
               decay_from,
               ", total=",
               total,
               start.has_value() ? ", start=" + internal::Number(*start) : "",
               ", end=",
               internal::Number(end),
               ")");
  }
};

// `from` times `factor` after every `every` steps.
struct StepDecay {
  double from = 1e-3;
  double factor = 0.1;
  std::int64_t every = 1000;

  double operator()(std::int64_t step) const {
    return from * std::pow(factor, static_cast<double>(step / every));
  }
  Status Validate() const {
    if (every >= 1 && factor >= 0) return OkStatus();
    return ConfigError("StepDecay needs every >= 1 and factor >= 0; got every ",
                       every,
                       ", factor ",
                       factor);
  }
  std::string Describe() const {
    return Cat("step_decay(from=",
               internal::Number(from),
               ", factor=",
               internal::Number(factor),
               ", every=",
               every,
               ")");
  }
};

// to + (from - to) (1 - step / steps)^power, then flat.
struct Polynomial {
  double from = 1e-3;
  double to = 0;
  double power = 2;
  std::int64_t steps = 1000;

  double operator()(std::int64_t step) const {
    if (step >= steps) return to;
    const double left =
        1 - static_cast<double>(step) / static_cast<double>(steps);
    return to + (from - to) * std::pow(left, power);
  }
  Status Validate() const {
    if (steps >= 1 && power >= 0) return OkStatus();
    return ConfigError("Polynomial needs steps >= 1 and power >= 0; got steps ",
                       steps,
                       ", power ",
                       power);
  }
  std::string Describe() const {
    return Cat("polynomial(",
               internal::Number(from),
               " to ",
               internal::Number(to),
               " in ",
               steps,
               ", power=",
               internal::Number(power),
               ")");
  }
};

// Any of them. Immutable, and cheap to copy: copies share it.
class Schedule {
 public:
  Schedule(double value) : Schedule(Constant{value}) {}  // NOLINT
  // A function may have `std::string Describe() const` and
  // `Status Validate() const`.
  template <ScheduleFunction F>
  requires(!std::same_as<F, Schedule>) Schedule(F function)  // NOLINT
      : self_(std::make_shared<const Model<F>>(std::move(function))) {}

  double operator()(std::int64_t step) const { return self_->At(step); }
  // What it is called in the description of a chain.
  std::string Describe() const;
  // Errors: bad options, a first value that is not finite.
  Status Validate() const;

 private:
  struct Function {
    virtual ~Function() = default;
    virtual double At(std::int64_t step) const = 0;
    // Empty where the function has no description of its own.
    virtual std::string Describe() const { return ""; }
    virtual Status Validate() const { return OkStatus(); }
  };

  template <class F>
  struct Model final : Function {
    explicit Model(F f) : function(std::move(f)) {}
    double At(std::int64_t step) const override { return function(step); }
    std::string Describe() const override {
      if constexpr (requires { function.Describe(); }) {
        return function.Describe();
      } else {
        return Function::Describe();
      }
    }
    Status Validate() const override {
      if constexpr (requires { function.Validate(); }) {
        return function.Validate();
      } else {
        return Function::Validate();
      }
    }
    F function;
  };

  std::shared_ptr<const Function> self_;
};

// u = schedule(step) * lr_scale * g
struct ScaleBySchedule {
  Schedule schedule;

  static constexpr int kStates = 0;
  struct Scalars {
    double factor;
  };
  Scalars Prepare(std::int64_t step) const { return {schedule(step)}; }

  template <class V>
  V Apply(V g, V*, V, const Scalars& k, const TensorTraits& t) const {
    return g * Splat<V>(k.factor * t.lr_scale);
  }

  double LearningRate(std::int64_t step) const { return schedule(step); }
  Status Validate() const { return schedule.Validate(); }
  std::string Describe() const {
    return Cat("scale_by_schedule(", schedule.Describe(), ")");
  }
};

// u = -schedule(step) * lr_scale * g: downhill.
struct ScaleByLearningRate {
  Schedule schedule;

  static constexpr int kStates = 0;
  struct Scalars {
    double factor;
  };
  Scalars Prepare(std::int64_t step) const { return {-schedule(step)}; }

  template <class V>
  V Apply(V g, V*, V, const Scalars& k, const TensorTraits& t) const {
    return g * Splat<V>(k.factor * t.lr_scale);
  }

  double LearningRate(std::int64_t step) const { return schedule(step); }
  Status Validate() const { return schedule.Validate(); }
  std::string Describe() const {
    return Cat("scale_by_learning_rate(", schedule.Describe(), ")");
  }
};

// u = factor * g
struct Scale {
  double factor = -1;

  static constexpr int kStates = 0;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class V>
  V Apply(V g, V*, V, const Scalars&, const TensorTraits&) const {
    return g * Splat<V>(factor);
  }

  double LearningRate(std::int64_t) const { return std::abs(factor); }
  Status Validate() const {
    if (internal::IsFinite(factor)) return OkStatus();
    return ConfigError("Scale needs a finite factor, got ", factor);
  }
  std::string Describe() const {
    return Cat("scale(", internal::Number(factor), ")");
  }
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_SCHEDULE_H_
