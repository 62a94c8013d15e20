#include "gyre/models/product.h"

#include <utility>
#include <vector>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline models {

std::int64_t FeaturesOf(Var x) {
  if (x.rank() >= 1) return x.shape()[x.rank() - 1];
  x.tape()->NoteError({},
                      "",
                      ConfigError("a linear layer needs an axis of features, "
                                  "got a scalar"));
  return -1;
}

Var MultiplyFeatures(const Params& params, Var x, Var w, Var bias) {
  if (!w.valid()) return w;
  std::vector<std::int64_t> dims = x.shape().dims();
  const Var rows = params.InComputeType(reshape(x, Shape({-1, dims.back()})));
  dims.back() = w.shape()[1];
  Var y = matmul(rows, params.InComputeType(w));
  if (bias.given()) y = y + params.InComputeType(bias);
  return reshape(y, Shape(std::move(dims)));
}

}  // namespace gyre::internal::inline models
