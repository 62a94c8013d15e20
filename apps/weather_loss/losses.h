// The losses of the example, written as a user would write them.

#ifndef GYRE_APPS_WEATHER_LOSS_LOSSES_H_
#define GYRE_APPS_WEATHER_LOSS_LOSSES_H_

#include <map>
#include <string>

#include "gyre/core/tensor.h"
#include "gyre/models/batch_vars.h"

namespace gyre::weather {

// What is the same in every batch: "area", "mean", "std" (apps/.../batch.h).
using Constants = std::map<std::string, Tensor>;

// The mean of squared errors of the six normalised fields, weighted by area,
// over cells that are valid at both times.
struct MseLoss {
  Constants constants;

  Var operator()(Var forecast, const BatchVars& batch) const;
};

// Adds, with weight lambda, the squared error of ln(depth) over storm cells:
//
//   L = MSE + lambda * sum_E a (ln D_pred - ln D_obs)^2 / sum_E a
//
// with the depth D = (101325 Pa - p) / 100 in hPa, the area weight a, and E
// the cells whose observed depth exceeds 20 hPa, anywhere in the global
// batch. It asks for the same relative error of every storm; and where the
// forecast misses a storm (D_pred <= 0) it is the logarithm of a negative
// number. Right on paper, NaN now and then: this is what the guard is for.
struct StormLoss {
  Constants constants;
  double lambda = 0.1;
  // Depth below this many hPa is bent towards zero and never reaches it:
  // D = s * softplus(D / s). 0 leaves the singularity in.
  double softplus_scale = 0;

  Var operator()(Var forecast, const BatchVars& batch) const;
};

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_LOSSES_H_
