#include "gyre/autodiff/ops/softmax.h"

#include <numeric>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/softmax_kernel.h"
#include "gyre/autodiff/exec/widen.h"
#include "gyre/autodiff/ops/axis_order.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/logical_reduce.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/ops/softmax_op.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

Var OverAxis(const Traced& x, int axis, bool log) {
  const Var var = x.var();
  if (!var.valid()) return var;
  const auto op = std::make_shared<SoftmaxOp>(log);
  const auto at = var.shape().NormalizeAxis(axis);
  if (!at.ok()) return Fail(x, op->name(), at.status());
  const AxisOrder order = MoveToEnd(var.rank(), {*at});
  const Var moved = Permuted(x, order.forward);
  const Var y = var.tape()->RecordOne(op, {&moved, 1}, x.loc());
  return y.valid() ? Permuted(At(y, x.loc()), order.inverse) : y;
}

// The classes 0, 1, ... in the type of the labels.
Tensor Classes(std::int64_t count, DType dtype) {
  Tensor classes(dtype, Shape({count}));
  if (dtype == DType::kI64) {
    auto data = classes.data<std::int64_t>();
    std::iota(data.begin(), data.end(), std::int64_t{0});
  } else {
    auto data = classes.data<std::int32_t>();
    std::iota(data.begin(), data.end(), 0);
  }
  return classes;
}

std::vector<Var> OneInput(Var grad) { return {grad}; }

}  // namespace

Var softmax(Traced x, int axis) { return OverAxis(x, axis, false); }
Var log_softmax(Traced x, int axis) { return OverAxis(x, axis, true); }

Var cross_entropy(Traced logits, Traced target) {
  if (const auto bad = Unusable("cross_entropy", {logits, target})) return *bad;
  const Tape::Call call(logits);
  const Var x = logits.var();
  const Var t = target.var();
  const SourceLoc& loc = logits.loc();
  const bool labels = t.dtype() == DType::kI32 || t.dtype() == DType::kI64;
  std::vector<std::int64_t> dims = x.shape().dims();
  if (labels && !dims.empty()) dims.pop_back();
  if (x.rank() < 1 || t.shape() != Shape(dims) ||
      !(labels || t.dtype() == x.dtype())) {
    return Fail(logits,
                "cross_entropy",
                ConfigError("expected logits (..., classes) with a target of "
                            "the same shape and type, or i32 or i64 labels "
                            "(...), got ",
                            x.dtype(),
                            " ",
                            x.shape(),
                            " and ",
                            t.dtype(),
                            " ",
                            t.shape()));
  }
  const Var log_p = log_softmax(logits, -1);
  if (!log_p.valid()) return log_p;
  const Var zero =
      x.tape()->Scalar(0, x.dtype() == DType::kF64 ? DType::kF64 : DType::kF32);
  if (labels) {
    dims.push_back(1);
    const Var classes =
        x.tape()->Constant(Classes(x.shape()[x.rank() - 1], t.dtype()));
    // As many axes on both sides: (..., 1) and (1, ..., classes).
    std::vector<std::int64_t> along(dims.size(), 1);
    along.back() = classes.shape()[0];
    const Var chosen = At(reshape(At(t, loc), Shape(dims)), loc) ==
                       At(reshape(At(classes, loc), Shape(along)), loc);
    const Var loss =
        -sum(At(select(chosen, log_p, cast(zero, x.dtype())), loc), {-1});
    x.tape()->NoteCounts(loss, any(At(chosen, loc), {-1}));
    return loss;
  }
  // Both selects: -Inf under a weight of 0 reaches neither value nor gradient.
  const Var counts = At(t, loc) != At(zero, loc);
  const Var safe = select(counts, log_p, cast(zero, x.dtype()));
  return -sum(At(t * safe, loc), {-1});
}

StatusOr<std::vector<TensorSpec>> SoftmaxOp::Infer(
    std::span<const TensorSpec> inputs) const {
  if (!IsFloat(inputs[0].dtype)) {
    return ConfigError("expected a float tensor, got ",
                       inputs[0].dtype,
                       " ",
                       inputs[0].shape,
                       "; use cast()");
  }
  return OneOutput(inputs[0].shape, inputs[0].dtype);
}

std::vector<Var> SoftmaxOp::Vjp(const VjpArgs& args) const {
  const Var operands[] = {args.outputs[0], args.grads[0]};
  return OneInput(operands[0].tape()->RecordOne(
      std::make_shared<SoftmaxGradOp>(log_), operands, {}));
}

StatusOr<std::unique_ptr<Kernel>> SoftmaxOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeWidened(request, [this](const KernelRequest& wide) {
    return MakeSoftmaxKernel(wide, log_);
  });
}

StatusOr<std::vector<TensorSpec>> SoftmaxGradOp::Infer(
    std::span<const TensorSpec> inputs) const {
  return OneOutput(inputs[0].shape, inputs[0].dtype);
}

// Both forms are linear in dy; the rest is the product rule for y.
std::vector<Var> SoftmaxGradOp::Vjp(const VjpArgs& args) const {
  const Var y = args.inputs[0];
  const Var dy = args.inputs[1];
  const Var g = args.grads[0];
  std::vector<Var> grads(2);
  if (log_) {
    const Var p = exp(y);
    const Var dot = sum(p * g, {-1}, true);
    grads[0] = -(p * g * sum(dy, {-1}, true));
    grads[1] = g - dot;
  } else {
    const Var weighted = sum(y * dy, {-1}, true);
    const Var dot = sum(y * g, {-1}, true);
    grads[0] = g * (dy - weighted) - dy * dot;
    grads[1] = y * (g - dot);
  }
  return grads;
}

StatusOr<std::unique_ptr<Kernel>> SoftmaxGradOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeWidened(request, [this](const KernelRequest& wide) {
    return MakeSoftmaxGradKernel(wide, log_);
  });
}

}  // namespace gyre
