#include "gyre/models/mlp.h"

#include "gyre/models/layers.h"

namespace gyre {

using namespace internal;

Var Mlp::operator()(Params& params, Traced input) const {
  const Tape::Call call(input);
  Var x = input.var();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    x = linear(params, Cat("layer", i), x, widths[i]);
    if (i + 1 < widths.size()) x = activate(x, activation);
  }
  return x;
}

}  // namespace gyre
