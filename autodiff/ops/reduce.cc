#include "gyre/autodiff/ops/reduce.h"

#include <algorithm>
#include <memory>

#include "gyre/autodiff/exec/elementwise_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/axes.h"
#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/reduce_op.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

Var Reduce(Reduction reduction,
           const Traced& x,
           const std::vector<int>& axes,
           bool keep_dims) {
  const Var var = x.var();
  if (!var.valid()) return var;
  auto sorted = SortedAxes(var.shape(), axes);
  if (!sorted.ok()) return Fail(x, "reduce", sorted.status());
  const Shape kept = KeptShape(var.shape(), *sorted);
  Var result = var;
  if (!sorted->empty()) {
    result = var.tape()->RecordOne(
        std::make_shared<ReduceAxesOp>(reduction, *std::move(sorted)),
        {&var, 1},
        x.loc());
  }
  return keep_dims ? reshape(At(result, x.loc()), kept) : result;
}

// x's product over the last axis with one element left out each time, times g
// of extent 1. Halves the axis, so that there is no division: zeros, and the
// derivatives of this, come out right.
Var TimesOthers(Var x, Var g) {
  const int axis = x.rank() - 1;
  const std::int64_t n = x.shape()[axis];
  if (n == 0) return x;
  if (n == 1) return g;
  const std::int64_t half = (n + 1) / 2;
  const Var even = pad(x, axis, 0, 2 * half - n, 1.0);
  const Var front = slice(even, axis, 0, half);
  const Var back = slice(even, axis, half, 2 * half);
  const Var others = TimesOthers(front * back, g);
  const Var parts[] = {others * back, others * front};
  return slice(concat(parts, axis), axis, 0, n);
}

// The gradient of a product over `axes` (sorted), made in f32 for bf16 and f16.
Var ProdGrad(Var x, Var g, const std::vector<int>& axes) {
  if (x.dtype() == DType::kBF16 || x.dtype() == DType::kF16) {
    const Var wide = ProdGrad(cast(x, DType::kF32), cast(g, DType::kF32), axes);
    return cast(wide, x.dtype());
  }
  std::vector<int> order;
  std::vector<std::int64_t> dims;
  for (int i = 0; i < x.rank(); ++i) {
    if (std::binary_search(axes.begin(), axes.end(), i)) continue;
    order.push_back(i);
    dims.push_back(x.shape()[i]);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  const Var moved = transpose(x, order);
  dims.push_back(1);
  const Var last = reshape(g, Shape(dims));
  dims.back() = CountOf(x.shape(), axes);
  const Var grad = TimesOthers(reshape(moved, Shape(dims)), last);
  std::vector<int> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    inverse[order[i]] = static_cast<int>(i);
  }
  return transpose(reshape(grad, moved.shape()), std::move(inverse));
}

bool IsHalf(const Traced& x) {
  const DType dtype = x.var().dtype();
  return dtype == DType::kF16 || dtype == DType::kBF16;
}

// Means in f32 and rounded once: the sum of halves that have a mean may be out
// of their range.
template <class Mean>
Var AsHalf(const Traced& x, const Mean& mean_of) {
  const Located at(x);
  const Var wide = cast(x, DType::kF32);
  if (!wide.valid()) return wide;
  const Var y = mean_of(at(wide));
  return y.valid() ? cast(at(y), x.var().dtype()) : y;
}

}  // namespace

Var sum(Traced x) {
  if (!x.var().valid()) return x.var();
  const Var local = Reduce(Reduction::kSum, x, AllAxes(x.var().rank()), false);
  return psum(At(local, x.loc()));
}

Var mean(Traced x) {
  const Var var = x.var();
  if (!var.valid()) return var;
  const Var counts = var.tape()->CountsOf(var);
  if (counts.given()) return masked_mean(x, At(counts, x.loc()));
  if (IsHalf(x)) return AsHalf(x, [](Traced wide) { return mean(wide); });
  const Mesh* mesh = var.tape()->mesh();
  const int ranks = mesh == nullptr ? 1 : mesh->SizeOf(var.varies());
  const double count = static_cast<double>(var.shape().elements()) * ranks;
  return At(sum(x), x.loc()) *
         At(var.tape()->Scalar(1.0 / count, var.dtype()), x.loc());
}

Var sum(Traced x, std::vector<int> axes, bool keep_dims) {
  return Reduce(Reduction::kSum, x, axes, keep_dims);
}
Var prod(Traced x, std::vector<int> axes, bool keep_dims) {
  return Reduce(Reduction::kProd, x, axes, keep_dims);
}
Var max(Traced x, std::vector<int> axes, bool keep_dims) {
  return Reduce(Reduction::kMax, x, axes, keep_dims);
}
Var min(Traced x, std::vector<int> axes, bool keep_dims) {
  return Reduce(Reduction::kMin, x, axes, keep_dims);
}

Var mean(Traced x, std::vector<int> axes, bool keep_dims) {
  if (!x.var().valid()) return x.var();
  if (IsHalf(x)) {
    return AsHalf(
        x, [&](Traced wide) { return mean(wide, std::move(axes), keep_dims); });
  }
  const Var total = Reduce(Reduction::kSum, x, axes, keep_dims);
  if (!total.valid()) return total;
  const auto count = static_cast<double>(
      CountOf(x.var().shape(), *SortedAxes(x.var().shape(), axes)));
  return At(total, x.loc()) * Traced(1.0 / count, x.loc().file, x.loc().line);
}

Var masked_sum(Traced x, Traced mask) {
  if (const auto bad = Unusable("masked_sum", {x, mask})) return *bad;
  return sum(
      At(select(mask, x, Traced(0.0, x.loc().file, x.loc().line)), x.loc()));
}

Var masked_mean(Traced x, Traced weight) {
  if (const auto bad = Unusable("masked_mean", {x, weight})) return *bad;
  const SourceLoc& loc = x.loc();
  const auto number = [&loc](double value) {
    return Traced(value, loc.file, loc.line);
  };
  const Var w = broadcast_to(weight, x.var().shape());
  const Var counts = At(w, loc) != number(0);
  const Var kept = select(At(counts, loc), x, number(0));
  Var weights = w;
  if (!IsFloat(w.dtype())) weights = cast(At(w, loc), x.var().dtype());
  // Numerator and denominator vary over the same axes: a rank without any
  // counted cell still adds its zeros to both.
  const Var numerator = sum(At(At(kept, loc) * At(weights, loc), loc));
  const Var total = x.var().tape()->Denominate(
      sum(At(vary_like(At(weights, loc), kept), loc)), loc);
  const Var any = At(total, loc) > number(0);
  const Var safe = select(At(any, loc), At(total, loc), number(1));
  return select(
      At(any, loc), At(At(numerator, loc) / At(safe, loc), loc), number(0));
}

std::string_view ReduceAxesOp::name() const { return Name(reduction_); }

std::string ReduceAxesOp::attributes() const {
  std::string text = "axes=";
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    text += Cat(i > 0 ? "," : "", axes_[i]);
  }
  return text;
}

StatusOr<std::vector<TensorSpec>> ReduceAxesOp::Infer(
    std::span<const TensorSpec> inputs) const {
  if (!IsFloat(inputs[0].dtype)) {
    return ConfigError(
        "expected float numbers, got ", inputs[0].dtype, "; use cast()");
  }
  return OneOutput(ReducedShape(inputs[0].shape, axes_), inputs[0].dtype);
}

StatusOr<std::unique_ptr<Kernel>> ReduceAxesOp::MakeKernel(
    const KernelRequest& request) const {
  const KernelTensor& in = request.inputs[0];
  ReduceProgram program;
  program.producer.compute =
      in.dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  program.producer.extents = in.shape;
  const TileRegister x =
      program.producer.AddInput(in.dtype, RowMajorStrides(in.shape));
  program.producer.AddOutput(x, program.producer.compute);
  program.axes = axes_;
  program.op = reduction_;
  program.result = request.outputs[0].dtype;
  return MakeReduceKernel(program, request.jit);
}

std::vector<Var> ReduceAxesOp::Vjp(const VjpArgs& args) const {
  const Var x = args.inputs[0];
  const Shape kept = KeptShape(x.shape(), axes_);
  const Var g = broadcast_to(reshape(args.grads[0], kept), x.shape());
  if (reduction_ == Reduction::kSum) return {g};
  if (reduction_ == Reduction::kProd) {
    return {ProdGrad(x, args.grads[0], axes_)};
  }
  const Var y = broadcast_to(reshape(args.outputs[0], kept), x.shape());
  // Ties share the gradient, so that it adds up to one.
  const Var hit = cast(x == y, x.dtype());
  const Var ties = broadcast_to(sum(hit, axes_, true), x.shape());
  return {cast(select(hit, g / ties, 0.0), x.dtype())};
}

}  // namespace gyre
