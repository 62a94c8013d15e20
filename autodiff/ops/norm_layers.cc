#include "gyre/autodiff/ops/norm_layers.h"

#include <algorithm>
#include <utility>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/widen.h"
#include "gyre/autodiff/ops/axis_order.h"
#include "gyre/autodiff/ops/composed.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/norm_layers_op.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

StatusOr<std::vector<int>> Axes(const Shape& shape,
                                const std::vector<int>& axes) {
  std::vector<int> sorted;
  for (const int axis : axes) {
    GYRE_ASSIGN_OR_RETURN(const int at, shape.NormalizeAxis(axis));
    sorted.push_back(at);
  }
  std::sort(sorted.begin(), sorted.end());
  const bool twice =
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  if (sorted.empty() || twice) {
    return ConfigError(
        "expected one axis or more of shape ", shape, ", none named twice");
  }
  return sorted;
}

Status CheckAffine(const Var& x,
                   const Var& affine,
                   std::string_view what,
                   const Shape& wanted) {
  if (!affine.given()) return OkStatus();
  if (affine.shape() == wanted && affine.dtype() == x.dtype()) {
    return OkStatus();
  }
  return ConfigError("expected a ",
                     what,
                     " of ",
                     x.dtype(),
                     " ",
                     wanted,
                     " for x ",
                     x.shape(),
                     ", got ",
                     affine.dtype(),
                     " ",
                     affine.shape());
}

// Normalises rows; gain and bias may be left out.
Var Record(const Traced& x, NormShape shape, const Var& gain, const Var& bias) {
  shape.has_gain = gain.given();
  shape.has_bias = bias.given();
  std::vector<Var> inputs;
  inputs.reserve(3);
  inputs.push_back(x.var());
  if (shape.has_gain) inputs.push_back(gain);
  if (shape.has_bias) inputs.push_back(bias);
  return x.var().tape()->Record(
      std::make_shared<NormOp>(shape), inputs, x.loc())[0];
}

Status CheckCommon(const Var& x, double eps) {
  if (!IsFloat(x.dtype())) {
    return ConfigError("expected a float tensor, got ",
                       x.dtype(),
                       " ",
                       x.shape(),
                       "; use cast()");
  }
  if (!(eps >= 0)) return ConfigError("expected eps of 0 or more, got ", eps);
  return OkStatus();
}

// A gain or bias that was given and cannot be used.
std::optional<Var> UnusableNorm(const Traced& x,
                                std::string_view name,
                                const Var& gain,
                                const Var& bias) {
  const Located at(x);
  if (auto bad = Unusable(name, {x})) return bad;
  if (gain.given()) {
    if (auto bad = Unusable(name, {x, at(gain)})) return bad;
  }
  if (!bias.given()) return std::nullopt;
  return Unusable(name, {x, at(bias)});
}

Var OverAxes(const Traced& x,
             std::string_view name,
             const NormOptions& options,
             bool centred) {
  if (const auto bad = UnusableNorm(x, name, options.gain, options.bias)) {
    return *bad;
  }
  const Var var = x.var();
  const auto axes = Axes(var.shape(), options.axes);
  if (!axes.ok()) return Fail(x, name, axes.status());
  std::vector<std::int64_t> dims;
  for (const int axis : *axes) dims.push_back(var.shape()[axis]);
  const Shape each(std::move(dims));
  for (const Status& status : {CheckCommon(var, options.eps),
                               CheckAffine(var, options.gain, "gain", each),
                               CheckAffine(var, options.bias, "bias", each)}) {
    if (!status.ok()) return Fail(x, name, status);
  }
  NormShape shape;
  shape.channels = each.elements();
  shape.rows = shape.channels > 0 ? var.shape().elements() / shape.channels : 0;
  shape.centred = centred;
  shape.eps = options.eps;
  const AxisOrder order = MoveToEnd(var.rank(), *axes);
  const Var moved = Permuted(x, order.forward);
  const Var y = Record(At(moved, x.loc()), shape, options.gain, options.bias);
  return y.valid() ? Permuted(At(y, x.loc()), order.inverse) : y;
}

// The formula, on x as (rows, channels * inner); for second derivatives.
struct Composed {
  const NormShape& s;

  Var Rows(Var x) const { return reshape(x, {s.rows, s.row_size()}); }
  // One number a channel, spread over (rows, row_size).
  Var Spread(Var gain) const {
    const Var each =
        broadcast_to(reshape(gain, {1, s.groups, s.channels, 1}),
                     {s.rows / s.groups, s.groups, s.channels, s.inner});
    return Rows(each);
  }
  Var PerChannel(Var rows) const {
    return sum(
        reshape(rows, {s.rows / s.groups, s.groups, s.channels, s.inner}),
        {0, 3});
  }
  // dx, dgain, dbias from x, dy and (if there is one) the gain.
  std::vector<Var> Gradients(Var x, Var dy, Var gain) const {
    const Var v = Rows(x);
    const Var d = Rows(dy);
    const Var e = s.centred ? v - mean(v, {1}, true) : v;
    const Var scale = rsqrt(mean(e * e, {1}, true) + s.eps);
    const Var h = e * scale;
    const Var g = gain.valid() ? d * Spread(gain) : d;
    Var dx = g - h * mean(g * h, {1}, true);
    if (s.centred) dx = dx - mean(g, {1}, true);
    const Shape gains = {s.gains()};
    return {reshape(dx * scale, x.shape()),
            reshape(PerChannel(d * h), gains),
            reshape(PerChannel(d), gains)};
  }
};

}  // namespace

Var layer_norm(Traced x, const NormOptions& options) {
  return OverAxes(x, "layer_norm", options, true);
}

Var rms_norm(Traced x, const NormOptions& options) {
  return OverAxes(x, "rms_norm", options, false);
}

Var group_norm(Traced x, int groups, const GroupNormOptions& options) {
  if (const auto bad =
          UnusableNorm(x, "group_norm", options.gain, options.bias)) {
    return *bad;
  }
  const Var var = x.var();
  const std::int64_t channels = var.rank() < 2 ? 0 : var.shape()[1];
  if (groups < 1 || channels < 1 || channels % groups != 0) {
    return Fail(x,
                "group_norm",
                ConfigError("expected x (batch, channels, ...) with channels "
                            "that divide into ",
                            groups,
                            " groups, got ",
                            var.shape()));
  }
  for (const Status& status :
       {CheckCommon(var, options.eps),
        CheckAffine(var, options.gain, "gain", {channels}),
        CheckAffine(var, options.bias, "bias", {channels})}) {
    if (!status.ok()) return Fail(x, "group_norm", status);
  }
  NormShape shape;
  shape.groups = groups;
  shape.channels = channels / groups;
  shape.inner = 1;
  for (int i = 2; i < var.rank(); ++i) shape.inner *= var.shape()[i];
  shape.rows = shape.inner > 0 ? var.shape()[0] * groups : 0;
  shape.eps = options.eps;
  return Record(x, shape, options.gain, options.bias);
}

std::string_view NormOp::name() const {
  if (!shape_.centred) return "rms_norm";
  return shape_.groups == 1 && shape_.inner == 1 ? "layer_norm" : "group_norm";
}

StatusOr<std::vector<TensorSpec>> NormOp::Infer(
    std::span<const TensorSpec> inputs) const {
  // Statistics of 16-bit rows are kept in f32.
  const DType wide = inputs[0].dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  return std::vector<TensorSpec>{{inputs[0].shape, inputs[0].dtype, 0},
                                 {{shape_.rows}, wide, 0},
                                 {{shape_.rows}, wide, 0}};
}

std::vector<Var> NormOp::Vjp(const VjpArgs& args) const {
  std::vector<Var> operands = {
      args.inputs[0], args.grads[0], args.outputs[1], args.outputs[2]};
  if (shape_.has_gain) operands.push_back(args.inputs[1]);
  const std::vector<Var> found = operands[0].tape()->Record(
      std::make_shared<NormGradOp>(shape_), operands, {});
  if (found.size() != 3) return std::vector<Var>(args.inputs.size(), found[0]);
  std::vector<Var> grads = {found[0]};
  if (shape_.has_gain) {
    grads.push_back(reshape(found[1], args.inputs[1].shape()));
  }
  if (shape_.has_bias) {
    grads.push_back(reshape(found[2], args.inputs.back().shape()));
  }
  return grads;
}

StatusOr<std::unique_ptr<Kernel>> NormOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeWidened(request, [this](const KernelRequest& wide) {
    return MakeNormKernel(wide, shape_);
  });
}

StatusOr<std::vector<TensorSpec>> NormGradOp::Infer(
    std::span<const TensorSpec> inputs) const {
  const DType dtype = inputs[0].dtype;
  const Shape gains = {shape_.gains()};
  return std::vector<TensorSpec>{
      {inputs[0].shape, dtype, 0}, {gains, dtype, 0}, {gains, dtype, 0}};
}

std::vector<Var> NormGradOp::Vjp(const VjpArgs& args) const {
  std::vector<Var> grads = ComposedVjp(args, [this](std::span<const Var> in) {
    return Composed{shape_}.Gradients(
        in[0], in[1], shape_.has_gain ? in[4] : Var());
  });
  // The formula takes mean and deviation from x.
  grads[2] = grads[3] = Var();
  return grads;
}

StatusOr<std::unique_ptr<Kernel>> NormGradOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeWidened(request, [this](const KernelRequest& wide) {
    return MakeNormGradKernel(wide, shape_);
  });
}

}  // namespace gyre
