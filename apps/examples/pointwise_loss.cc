// A loss of one's own as a pointwise functor: no gradient is written.
//
//   pointwise_loss                          # alone
//   gyre launch -n 4 -- pointwise_loss      # the same on four processes

#include <gyre/loss.h>

#include "apps/examples/train_example.h"

namespace math = gyre::math;

// Quadratic for small errors, linear for outliers. T is a traced value
// or, compiled for SIMD, a vector of dual numbers; `select` is the only branch.
struct Huber {
  float delta = 0.3f;

  template <class T>
  T operator()(const T& pred, const T& target) const {
    const T e = pred - target;
    const T a = math::abs(e);
    return math::select(a <= delta, 0.5f * e * e, delta * (a - 0.5f * delta));
  }
};

int main() {
  return gyre::examples::TrainExample(
      "pointwise_loss", [](gyre::Var pred, const gyre::BatchVars& batch) {
        return mean(pointwise(Huber{}, pred, batch["y"]));
      });
}
