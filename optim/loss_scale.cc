#include "gyre/optim/loss_scale.h"

#include <algorithm>

#include "gyre/core/finite.h"
#include "gyre/core/number.h"

namespace gyre::optim {

using namespace internal;

Status LossScale::Validate() const {
  if (!on()) return OkStatus();
  const bool bounds =
      floor > 0 && floor <= initial && initial <= ceiling && IsFinite(ceiling);
  const bool factors =
      growth > 1 && IsFinite(growth) && backoff > 0 && backoff < 1;
  if (bounds && factors && growth_interval >= 0) return OkStatus();
  return ConfigError(
      "a loss scale needs 0 < floor <= initial <= ceiling, growth > 1, "
      "0 < backoff < 1 and growth_interval >= 0; got ",
      Describe());
}

std::string LossScale::Describe() const {
  return Cat("loss_scale(initial=",
             Number(initial),
             ", growth=",
             Number(growth),
             ", backoff=",
             Number(backoff),
             ", growth_interval=",
             growth_interval,
             ", floor=",
             Number(floor),
             ", ceiling=",
             Number(ceiling),
             ")");
}

void LossScaleState::AfterOverflow(const LossScale& rule) {
  scale = std::max(Scale(rule) * rule.backoff, rule.floor);
  good_steps = 0;
  ++backoffs;
}

void LossScaleState::AfterApplied(const LossScale& rule) {
  scale = Scale(rule);
  ++good_steps;
  if (rule.growth_interval == 0 || good_steps < rule.growth_interval) return;
  scale = std::min(scale * rule.growth, rule.ceiling);
  good_steps = 0;
}

}  // namespace gyre::optim
