// Batch normalisation over the world's batch.
//
//   y = (x - mean) / sqrt(var + eps) * gain + bias
//
//   Var h = batch_norm(params, "norm", x);
//
// Mean and (biased) variance of each channel are taken over all samples and
// positions on all ranks, in two passes. Their running averages
//   running = (1 - momentum) * running + momentum * current
// are buffers of the model: they move only when the guard lets a step through,
// and a step that would make one non-finite is skipped.
// Ioffe and Szegedy, "Batch normalization", 2015.
//
// In a program that evaluates (Params::training() is false) the running
// averages are used and stay as they are, so that a sample's result does not
// depend on the samples beside it.
//
// Errors: fewer than 2 axes; momentum outside [0, 1].

#ifndef GYRE_MODELS_BATCH_NORM_H_
#define GYRE_MODELS_BATCH_NORM_H_

#include <string>

#include "gyre/autodiff/var.h"
#include "gyre/models/params.h"

namespace gyre {

struct BatchNormOptions {
  double eps = 1e-5;
  double momentum = 0.1;
  bool use_running = false;  // while training, too: a frozen normalisation
};

// x: (batch, channels, ...), f32, with the parameters `name`.gain and .bias
// and the buffers `name`.mean and .var, each (channels).
Var batch_norm(Params& params,
               const std::string& name,
               Traced x,
               const BatchNormOptions& options = {});

}  // namespace gyre

#endif  // GYRE_MODELS_BATCH_NORM_H_
