// What linear layers share, however their weights are kept.

#ifndef GYRE_MODELS_PRODUCT_H_
#define GYRE_MODELS_PRODUCT_H_

#include <cstdint>

#include "gyre/autodiff/var.h"
#include "gyre/models/params.h"

namespace gyre::internal::inline models {

// The extent of x's last axis. Of a scalar, -1, and an error of the trace.
std::int64_t FeaturesOf(Var x);

// x (..., in) times w (in, out), plus a bias (out) if there is one, in the type
// that layers compute in. For use within a Tape::Call.
Var MultiplyFeatures(const Params& params, Var x, Var w, Var bias = {});

}  // namespace gyre::internal::inline models

#endif  // GYRE_MODELS_PRODUCT_H_
