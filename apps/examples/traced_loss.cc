// A loss of one's own from operations on whole tensors: reductions, masks,
// several terms. It is called once, recorded, and replayed every step.

#include <gyre/loss.h>

#include "apps/examples/train_example.h"

// The mean absolute error of what is not an outlier, and a mild penalty on
// the mean of the prediction. The mean over the mask is one numerator and one
// denominator over all ranks.
gyre::Var Loss(gyre::Var pred, const gyre::BatchVars& batch) {
  const gyre::Var target = batch["y"];
  const gyre::Var trusted = target < 2.0;
  const gyre::Var bias = mean(pred);
  return masked_mean(abs(pred - target), trusted) + 0.01 * square(bias);
}

int main() { return gyre::examples::TrainExample("traced_loss", Loss); }
