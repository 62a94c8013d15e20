// A multilayer perceptron.

#ifndef GYRE_MODELS_MLP_H_
#define GYRE_MODELS_MLP_H_

#include <cstdint>
#include <vector>

#include "autodiff/var.h"
#include "models/params.h"

namespace gyre {

// x: (batch, in) -> (batch, widths.back()), tanh between the layers
// layer0, layer1, ...
struct Mlp {
  std::vector<std::int64_t> widths;  // of each layer's output

  Var operator()(Params& params, Var x) const;
};

}  // namespace gyre

#endif  // GYRE_MODELS_MLP_H_
