// Losses that need no writing: pointwise functors, and means over the world.
//
//   Var loss = weighted_mse(pred, batch["target"], batch["mask"]);
//   Var robust = mean(pointwise(Huber{0.5f}, pred, target));
//
// Every mean is global: one numerator and one denominator over all ranks, so
// the loss does not depend on how the batch is split.

#ifndef GYRE_MODELS_LOSSES_H_
#define GYRE_MODELS_LOSSES_H_

#include "gyre/autodiff/var.h"
#include "gyre/core/math.h"

namespace gyre {

// (pred - target)^2
struct SquaredError {
  template <class T>
  T operator()(const T& pred, const T& target) const {
    const T e = pred - target;
    return e * e;
  }
};

// Quadratic near 0, linear beyond delta. Huber, 1964.
struct Huber {
  float delta = 1.0f;

  template <class T>
  T operator()(const T& pred, const T& target) const {
    const T e = pred - target;
    const T a = math::abs(e);
    return math::select(a <= delta, 0.5f * e * e, delta * (a - 0.5f * delta));
  }
};

// log(cosh(e)) in the form that cannot overflow:
// |e| + softplus(-2 |e|) - ln 2.
struct LogCosh {
  template <class T>
  T operator()(const T& pred, const T& target) const {
    const T a = math::abs(pred - target);
    return a + math::softplus(-2.0f * a) - 0.693147181f;
  }
};

// The mean of (pred - target)^2 over all elements and ranks.
Var mse(Traced pred, Traced target);
// sum(weight * (pred - target)^2) / sum(weight); elements of weight 0 do not
// count, whatever stands there. `weight` broadcasts.
Var weighted_mse(Traced pred, Traced target, Traced weight);

}  // namespace gyre

#endif  // GYRE_MODELS_LOSSES_H_
