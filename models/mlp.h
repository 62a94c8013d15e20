// A multilayer perceptron.

#ifndef GYRE_MODELS_MLP_H_
#define GYRE_MODELS_MLP_H_

#include <cstdint>
#include <vector>

#include "gyre/autodiff/var.h"
#include "gyre/models/activation.h"
#include "gyre/models/params.h"

namespace gyre {

// x: (..., in) -> (..., widths.back()), an activation between the layers
// layer0, layer1, ...
struct Mlp {
  std::vector<std::int64_t> widths;  // of each layer's output
  Activation activation = Activation::kTanh;

  Var operator()(Params& params, Traced x) const;
};

}  // namespace gyre

#endif  // GYRE_MODELS_MLP_H_
