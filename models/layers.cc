#include "models/layers.h"

#include "autodiff/ops/conv.h"
#include "autodiff/ops/elementwise.h"
#include "autodiff/ops/matmul.h"
#include "autodiff/ops/shape_ops.h"

namespace gyre {
namespace {

Var Fail(Var x, const std::string& name, const Status& status) {
  x.tape()->NoteError({}, name, status);
  return Var(x.tape(), -1);
}

}  // namespace

Var linear(Params& params, const std::string& name, Var x, std::int64_t out,
           const LinearOptions& options) {
  if (!x.valid()) return x;
  if (x.rank() < 1) {
    return Fail(x, name, ConfigError("a linear layer needs an axis of "
                                     "features, got a scalar"));
  }
  Params mine = params.Scope(name);
  const std::int64_t in = x.shape()[x.rank() - 1];
  const Var w =
      mine.Get("w", {in, out}, options.init.value_or(LecunNormal(in)));
  std::vector<std::int64_t> dims = x.shape().dims();
  dims.back() = out;
  const Var rows = reshape(x, Shape({-1, in}));
  Var y = matmul(rows, w);
  if (options.bias) y = y + mine.Get("b", {out}, Zeros());
  return reshape(y, Shape(std::move(dims)));
}

Var conv(Params& params, const std::string& name, Var x, std::int64_t out,
         const ConvLayerOptions& options) {
  if (!x.valid()) return x;
  const std::int64_t k = options.kernel;
  if (x.rank() != 4 || k < 1 || k % 2 == 0) {
    return Fail(x, name,
                ConfigError("a convolution needs x (batch, channel, lat, "
                            "lon) and an odd kernel, got ", x.shape(),
                            " and kernel ", k));
  }
  Params mine = params.Scope(name);
  const std::int64_t in = x.shape()[1];
  const Var w = mine.Get("w", {out, in, k, k},
                         options.init.value_or(LecunNormal(in * k * k)));
  Var y = conv2d(x, w, {.padding = {k / 2, k / 2}});
  if (options.bias) {
    y = y + reshape(mine.Get("b", {out}, Zeros()), {out, 1, 1});
  }
  return y;
}

}  // namespace gyre
