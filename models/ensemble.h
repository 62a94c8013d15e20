// Losses of an ensemble: several forecasts of the same thing, spread over a
// mesh axis.
//
//   // batch axes: data; every rank of "member" sees the same samples
//   Var noise = normal_like(vary_over(x, "member"), {.name = "member"});
//   Var pred = model(params, x + 0.1 * noise);     // (samples, ...)
//   Var loss = crps(expand_dims(pred, 0), target, "member");

#ifndef GYRE_MODELS_ENSEMBLE_H_
#define GYRE_MODELS_ENSEMBLE_H_

#include <string>

#include "gyre/autodiff/var.h"

namespace gyre {

// The fair continuous ranked probability score, a mean over all elements and
// ranks, by the estimator that does not reward a small ensemble:
//
//   mean_i |x_i - y|  -  1 / (2 m (m - 1)) sum_ij |x_i - x_j|
//
// (Ferro, "Fair scores for ensemble forecasts", 2014.) members: (k, ...), this
// rank's of the m = k n members that the n ranks of the axis hold; target
// broadcasts against one of them. A single member's score is its absolute
// error. Error: no such axis; another shape.
Var crps(Traced members, Traced target, const std::string& axis);

// x as each rank's own copy along the axis: what is made of it may differ from
// member to member.
Var vary_over(Traced x, const std::string& axis);

}  // namespace gyre

#endif  // GYRE_MODELS_ENSEMBLE_H_
