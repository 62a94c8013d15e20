#include "gyre/models/losses.h"

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/reduce.h"

namespace gyre {

Var mse(Var pred, Var target) {
  return mean(pointwise(SquaredError{}, pred, target));
}

Var weighted_mse(Var pred, Var target, Var weight) {
  // The difference is masked, not its square: the square of a NaN under the
  // mask would give 0 * NaN in the gradient.
  const Var counts = weight != 0;
  const Var p = select(counts, pred, 0.0);
  const Var t = select(counts, target, 0.0);
  return masked_mean(pointwise(SquaredError{}, p, t), weight);
}

}  // namespace gyre
