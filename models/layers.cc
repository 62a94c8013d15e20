#include "gyre/models/layers.h"

#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/norm_layers.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/models/product.h"

namespace gyre {

using namespace internal;

Var linear(Params& params,
           const std::string& name,
           Traced input,
           std::int64_t out,
           const LinearOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  const Var x = input.var();
  const std::int64_t in = FeaturesOf(x);
  if (in < 0) return Var(x.tape(), -1);
  Params mine = params.Scope(name);
  const Var w =
      mine.Get("w", {in, out}, options.init.value_or(LecunNormal(in)));
  const Var b = options.bias ? mine.Get("b", {out}, Zeros()) : Var();
  return MultiplyFeatures(mine, x, w, b);
}

Var conv(Params& params,
         const std::string& name,
         Traced input,
         std::int64_t out,
         const ConvLayerOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  const Var x = input.var();
  const std::int64_t k = options.kernel;
  if (x.rank() != 4 || k < 1 || k % 2 == 0) {
    return x.tape()->Fail(
        {},
        "",
        ConfigError("a convolution needs x (batch, channel, lat, "
                    "lon) and an odd kernel, got ",
                    x.shape(),
                    " and kernel ",
                    k));
  }
  Params mine = params.Scope(name);
  const std::int64_t in = x.shape()[1];
  const Var w = mine.Get(
      "w", {out, in, k, k}, options.init.value_or(LecunNormal(in * k * k)));
  Var y = conv2d(mine.InComputeType(x),
                 mine.InComputeType(w),
                 {.padding = {k / 2, k / 2}, .pad_mode = options.pad_mode});
  if (options.bias) {
    y = y +
        reshape(mine.InComputeType(mine.Get("b", {out}, Zeros())), {out, 1, 1});
  }
  return y;
}

namespace {

// Normalisation is computed and given in f32, whatever the layers before it
// compute in.
Var Wide(Var x) {
  const bool half = x.dtype() == DType::kBF16 || x.dtype() == DType::kF16;
  return half ? cast(x, DType::kF32) : x;
}

// gain and (if asked for) bias of the extent of x's axis.
struct Affine {
  Var gain;
  Var bias;
};

Affine Declare(
    Params& params, const std::string& name, Var x, int axis, bool bias) {
  Params mine = params.Scope(name);
  const Shape each = {x.shape()[axis]};
  return {mine.Get("gain", each, Ones()),
          bias ? mine.Get("bias", each, Zeros()) : Var()};
}

}  // namespace

Var layer_norm(Params& params,
               const std::string& name,
               Traced input,
               const NormLayerOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  Var x = input.var();
  // Of a scalar there is no axis to declare by: the operation says so.
  if (x.rank() < 1) return layer_norm(x);
  x = Wide(x);
  const Affine a = Declare(params, name, x, x.rank() - 1, options.bias);
  return layer_norm(x, {.eps = options.eps, .gain = a.gain, .bias = a.bias});
}

Var rms_norm(Params& params,
             const std::string& name,
             Traced input,
             const NormLayerOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  Var x = input.var();
  if (x.rank() < 1) return rms_norm(x);
  x = Wide(x);
  const Affine a = Declare(params, name, x, x.rank() - 1, false);
  return rms_norm(x, {.eps = options.eps, .gain = a.gain});
}

Var group_norm(Params& params,
               const std::string& name,
               Traced input,
               int groups,
               const NormLayerOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  Var x = input.var();
  if (x.rank() < 2) return group_norm(x, groups);
  x = Wide(x);
  const Affine a = Declare(params, name, x, 1, options.bias);
  return group_norm(
      x, groups, {.eps = options.eps, .gain = a.gain, .bias = a.bias});
}

}  // namespace gyre
