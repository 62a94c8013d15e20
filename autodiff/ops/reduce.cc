#include "autodiff/ops/reduce.h"

#include <algorithm>
#include <memory>

#include "autodiff/exec/elementwise_kernel.h"
#include "autodiff/ops/collective.h"
#include "autodiff/ops/elementwise.h"
#include "autodiff/ops/shape_ops.h"
#include "autodiff/tape.h"

namespace gyre {
namespace {

Traced At(Var var, const SourceLoc& loc) {
  return Traced(var, loc.file, loc.line);
}

// `shape` with the reduced axes kept at extent 1.
Shape KeptShape(const Shape& shape, const std::vector<int>& axes) {
  std::vector<std::int64_t> dims = shape.dims();
  for (const int axis : axes) dims[axis] = 1;
  return Shape(std::move(dims));
}

std::vector<int> AllAxes(const Var& x) {
  std::vector<int> axes(x.rank());
  for (int i = 0; i < x.rank(); ++i) axes[i] = i;
  return axes;
}

StatusOr<std::vector<int>> SortedAxes(const Shape& shape,
                                      const std::vector<int>& axes) {
  std::vector<int> sorted;
  for (const int axis : axes) {
    GYRE_ASSIGN_OR_RETURN(const int at, shape.NormalizeAxis(axis));
    sorted.push_back(at);
  }
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return ConfigError("an axis of shape ", shape, " is named twice");
  }
  return sorted;
}

Var Reduce(Reduction reduction, const Traced& x, const std::vector<int>& axes,
           bool keep_dims) {
  const Var var = x.var();
  if (!var.valid()) return var;
  auto sorted = SortedAxes(var.shape(), axes);
  if (!sorted.ok()) {
    var.tape()->NoteError(x.loc(), "reduce", sorted.status());
    return Var(var.tape(), -1);
  }
  const Shape kept = KeptShape(var.shape(), *sorted);
  Var result = var;
  if (!sorted->empty()) {
    result = var.tape()->RecordOne(
        std::make_shared<ReduceAxesOp>(reduction, *std::move(sorted)),
        {&var, 1}, x.loc());
  }
  return keep_dims ? reshape(At(result, x.loc()), kept) : result;
}

std::int64_t CountOf(const Shape& shape, const std::vector<int>& axes) {
  std::int64_t count = 1;
  for (const int axis : axes) {
    const auto at = shape.NormalizeAxis(axis);
    if (at.ok()) count *= shape[*at];
  }
  return count;
}

}  // namespace

Var sum(Traced x) {
  if (!x.var().valid()) return x.var();
  const Var local = Reduce(Reduction::kSum, x, AllAxes(x.var()), false);
  return psum(At(local, x.loc()));
}

Var mean(Traced x) {
  const Var var = x.var();
  if (!var.valid()) return var;
  const Mesh* mesh = var.tape()->mesh();
  const int ranks = mesh == nullptr ? 1 : mesh->SizeOf(var.varies());
  const double count = static_cast<double>(var.shape().elements()) * ranks;
  return At(sum(x), x.loc()) * At(var.tape()->Scalar(1.0 / count, var.dtype()),
                                  x.loc());
}

Var sum(Traced x, std::vector<int> axes, bool keep_dims) {
  return Reduce(Reduction::kSum, x, axes, keep_dims);
}
Var max(Traced x, std::vector<int> axes, bool keep_dims) {
  return Reduce(Reduction::kMax, x, axes, keep_dims);
}
Var min(Traced x, std::vector<int> axes, bool keep_dims) {
  return Reduce(Reduction::kMin, x, axes, keep_dims);
}

Var mean(Traced x, std::vector<int> axes, bool keep_dims) {
  if (!x.var().valid()) return x.var();
  const auto count =
      static_cast<double>(CountOf(x.var().shape(), axes));
  const Var total = Reduce(Reduction::kSum, x, axes, keep_dims);
  return At(total, x.loc()) * Traced(1.0 / count, x.loc().file, x.loc().line);
}

Var masked_sum(Traced x, Traced mask) {
  if (!x.var().valid()) return x.var();
  if (!mask.var().valid()) return mask.var();
  return sum(At(select(mask, x, Traced(0.0, x.loc().file, x.loc().line)),
                x.loc()));
}

Var masked_mean(Traced x, Traced weight) {
  if (!x.var().valid()) return x.var();
  if (!weight.var().valid()) return weight.var();
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
  const Var total = sum(At(vary_like(weights, kept), loc));
  const Var any = At(total, loc) > number(0);
  const Var safe = select(At(any, loc), At(total, loc), number(1));
  return select(At(any, loc), At(At(numerator, loc) / At(safe, loc), loc),
                number(0));
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
    return ConfigError("expected float numbers, got ", inputs[0].dtype,
                       "; use cast()");
  }
  const Shape& shape = inputs[0].shape;
  std::vector<std::int64_t> dims;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!std::binary_search(axes_.begin(), axes_.end(), i)) {
      dims.push_back(shape[i]);
    }
  }
  return OneOutput(Shape(std::move(dims)), inputs[0].dtype);
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
  const Var y = broadcast_to(reshape(args.outputs[0], kept), x.shape());
  if (reduction_ == Reduction::kProd) return {g * y / x};
  // Ties share the gradient, so that it adds up to one.
  const Var hit = cast(x == y, x.dtype());
  const Var ties = broadcast_to(sum(hit, axes_, true), x.shape());
  return {select(hit, g / ties, 0.0)};
}

}  // namespace gyre
