// Loss scaling, for gradients in f16: they are multiplied by a scale, so that
// small ones do not become 0, and divided by it before the norm is taken.
//
//   Guard{.loss_scale = {.initial = 65536}}       // TrainSpec::compute = f16
//
// A gradient that overflows although the loss is finite means that the scale
// is too large: the step is skipped, whatever the policy, and the scale backs
// off. Such a skip is not counted against the budgets. After
// `growth_interval` applied steps the scale grows. Micikevicius et al., Mixed
// Precision Training, 2018, section 3.2.
//
// WARNING 1: at the floor, an overflow ends the run with an error: a scale
// that falls for ever hides a NaN that no scale can cure.
// WARNING 2: use powers of two: others cost a rounding of every gradient.

#ifndef GYRE_OPTIM_LOSS_SCALE_H_
#define GYRE_OPTIM_LOSS_SCALE_H_

#include <cstdint>
#include <string>

#include "gyre/core/status.h"

namespace gyre::optim {

struct LossScale {
  double initial = 0;  // 0: no scaling
  double growth = 2;
  double backoff = 0.5;
  std::int64_t growth_interval = 2000;  // 0: it never grows
  double floor = 1;
  double ceiling = 16777216;

  bool on() const { return initial != 0; }
  Status Validate() const;
  std::string Describe() const;
};

// Saved with a checkpoint, as a part of GuardState.
struct LossScaleState {
  double scale = 0;             // 0: not yet begun, so the rule's first
  std::int64_t good_steps = 0;  // since the scale last changed
  std::int64_t backoffs = 0;

  double Scale(const LossScale& rule) const {
    if (!rule.on()) return 1;
    return scale == 0 ? rule.initial : scale;
  }
  // Whether the scale may fall once more.
  bool CanBackOff(const LossScale& rule) const {
    return Scale(rule) * rule.backoff >= rule.floor;
  }
  void AfterOverflow(const LossScale& rule);
  void AfterApplied(const LossScale& rule);

  friend bool operator==(const LossScaleState&,
                         const LossScaleState&) = default;
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_LOSS_SCALE_H_
