#include "gyre/models/losses.h"

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/reduce.h"

namespace gyre {

using namespace internal;

Var mse(Traced pred, Traced target) {
  if (const auto bad = Unusable("mse", {pred, target})) return *bad;
  const Tape::Call call(pred);
  return mean(pointwise(SquaredError{}, pred, target));
}

Var weighted_mse(Traced pred, Traced target, Traced weight) {
  if (const auto bad = Unusable("weighted_mse", {pred, target, weight})) {
    return *bad;
  }
  const Tape::Call call(pred);
  // The difference is masked, not its square: the square of a NaN under the
  // mask would give 0 * NaN in the gradient.
  const Var counts = weight != 0;
  const Var p = select(counts, pred, 0.0);
  const Var t = select(counts, target, 0.0);
  return masked_mean(pointwise(SquaredError{}, p, t), weight);
}

}  // namespace gyre
