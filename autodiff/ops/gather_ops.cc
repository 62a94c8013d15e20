#include "gyre/autodiff/ops/gather_ops.h"

#include <memory>

#include "gyre/autodiff/exec/gather_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline autodiff {
namespace {

Status CheckIndices(const TensorSpec& indices) {
  if (indices.dtype != DType::kI32 && indices.dtype != DType::kI64) {
    return ConfigError(
        "expected indices of i32 or i64, got ", indices.dtype, "; use cast()");
  }
  return OkStatus();
}

// `shape` with the axes [axis, axis + count) replaced by `middle`.
Shape Replaced(const Shape& shape,
               int axis,
               int count,
               const std::vector<std::int64_t>& middle) {
  std::vector<std::int64_t> dims = shape.dims();
  dims.erase(dims.begin() + axis, dims.begin() + axis + count);
  dims.insert(dims.begin() + axis, middle.begin(), middle.end());
  return Shape(std::move(dims));
}

Var RecordTwo(std::shared_ptr<const Op> op, Var a, Var b) {
  const Var inputs[] = {a, b};
  return a.tape()->RecordOne(std::move(op), inputs, {});
}

}  // namespace

StatusOr<std::vector<TensorSpec>> GatherOp::Infer(
    std::span<const TensorSpec> inputs) const {
  GYRE_RETURN_IF_ERROR(CheckIndices(inputs[1]));
  return OneOutput(Replaced(inputs[0].shape, axis_, 1, inputs[1].shape.dims()),
                   inputs[0].dtype);
}

std::vector<Var> GatherOp::Vjp(const VjpArgs& args) const {
  const Var x = args.inputs[0];
  if (!IsFloat(x.dtype())) return {Var(), Var()};
  return {RecordTwo(std::make_shared<ScatterOp>(axis_, x.shape()[axis_]),
                    args.grads[0],
                    args.inputs[1]),
          Var()};
}

StatusOr<std::unique_ptr<Kernel>> GatherOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeGatherKernel(request, axis_, zero_fill_);
}

StatusOr<std::vector<TensorSpec>> ScatterOp::Infer(
    std::span<const TensorSpec> inputs) const {
  GYRE_RETURN_IF_ERROR(CheckIndices(inputs[1]));
  if (!IsFloat(inputs[0].dtype)) {
    return ConfigError(
        "expected float numbers to add, got ", inputs[0].dtype, "; use cast()");
  }
  if (extent_ < 0) {
    return ConfigError("expected 0 or more places, got ", extent_);
  }
  const int count = inputs[1].shape.rank();
  const Shape& shape = inputs[0].shape;
  bool fits = axis_ + count <= shape.rank();
  for (int i = 0; fits && i < count; ++i) {
    fits = shape[axis_ + i] == inputs[1].shape[i];
  }
  if (!fits) {
    return ConfigError("expected shape ",
                       inputs[1].shape,
                       " of the indices "
                       "at axis ",
                       axis_,
                       " of ",
                       shape);
  }
  return OneOutput(Replaced(shape, axis_, count, {extent_}), inputs[0].dtype);
}

std::vector<Var> ScatterOp::Vjp(const VjpArgs& args) const {
  return {RecordTwo(std::make_shared<GatherOp>(axis_, /*zero_fill=*/true),
                    args.grads[0],
                    args.inputs[1]),
          Var()};
}

StatusOr<std::unique_ptr<Kernel>> ScatterOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeScatterKernel(request, axis_);
}

StatusOr<std::vector<TensorSpec>> OneHotOp::Infer(
    std::span<const TensorSpec> inputs) const {
  GYRE_RETURN_IF_ERROR(CheckIndices(inputs[0]));
  if (dtype_ != DType::kF32 && dtype_ != DType::kF64) {
    return ConfigError(
        "expected f32 or f64 for the result, got ", dtype_, "; use cast()");
  }
  if (depth_ < 0) {
    return ConfigError("expected a depth of 0 or more, got ", depth_);
  }
  return OneOutput(
      Replaced(inputs[0].shape, inputs[0].shape.rank(), 0, {depth_}), dtype_);
}

StatusOr<std::unique_ptr<Kernel>> OneHotOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeOneHotKernel(request);
}

}  // namespace gyre::internal::inline autodiff
