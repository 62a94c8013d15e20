#include "models/mlp.h"

#include "autodiff/ops/elementwise.h"
#include "models/layers.h"

namespace gyre {

Var Mlp::operator()(Params& params, Var x) const {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    x = linear(params, Cat("layer", i), x, widths[i]);
    if (i + 1 < widths.size()) x = tanh(x);
  }
  return x;
}

}  // namespace gyre
