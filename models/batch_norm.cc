#include "gyre/models/batch_norm.h"

#include <vector>

#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

// A number a channel, as it stands beside x.
Var PerChannel(Var value, Var x) {
  std::vector<std::int64_t> dims(x.rank(), 1);
  dims[1] = x.shape()[1];
  return reshape(value, Shape(std::move(dims)));
}

// The mean of each channel over all samples, positions and ranks.
Var WorldMean(Var x) {
  std::vector<int> axes = {0};
  for (int i = 2; i < x.rank(); ++i) axes.push_back(i);
  return pmean(mean(x, std::move(axes)));
}

}  // namespace

Var batch_norm(Params& params,
               const std::string& name,
               Traced input,
               const BatchNormOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  Var x = input.var();
  const double share = options.momentum;
  if (x.rank() < 2 || !(share >= 0 && share <= 1)) {
    x.tape()->NoteError(
        {},
        "",
        ConfigError("batch norm needs x (batch, channels, ...) and a momentum "
                    "in [0, 1], got ",
                    x.shape(),
                    " and ",
                    share));
    return Var(x.tape(), -1);
  }
  if (x.dtype() == DType::kBF16 || x.dtype() == DType::kF16) {
    x = cast(x, DType::kF32);  // as all normalisation
  }
  Params mine = params.Scope(name);
  const Shape each = {x.shape()[1]};
  const Var gain = mine.Get("gain", each, Ones());
  const Var bias = mine.Get("bias", each, Zeros());
  const Var running_mean = mine.GetBuffer("mean", each, Zeros());
  const Var running_var = mine.GetBuffer("var", each, Ones());
  Var centre = running_mean;
  Var variance = running_var;
  if (params.training() && !options.use_running) {
    centre = WorldMean(x);
    variance = WorldMean(square(x - PerChannel(centre, x)));
    mine.SetBuffer("mean",
                   running_mean * (1 - share) + stop_gradient(centre) * share);
    mine.SetBuffer("var",
                   running_var * (1 - share) + stop_gradient(variance) * share);
  }
  const Var scale = rsqrt(variance + options.eps) * gain;
  return (x - PerChannel(centre, x)) * PerChannel(scale, x) +
         PerChannel(bias, x);
}

}  // namespace gyre
