#include "gyre/autodiff/ops/arg_reduce.h"

#include <limits>
#include <memory>

#include "gyre/autodiff/exec/arg_reduce_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/arg_reduce_op.h"
#include "gyre/autodiff/ops/axes.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre {

using namespace internal;

namespace {

Var ArgReduce(const Traced& x, int axis, bool keep_dims, bool smallest) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  const auto normal = in.shape().NormalizeAxis(axis);
  if (!normal.ok()) {
    return at.Fail(in, smallest ? "argmin" : "argmax", normal.status());
  }
  const bool narrow = in.dtype() == DType::kBF16 || in.dtype() == DType::kF16;
  const Var wide = narrow ? cast(at(in), DType::kF32) : in;
  const Var y =
      at.Record(std::make_shared<ArgReduceOp>(*normal, smallest), wide);
  return keep_dims && y.valid()
             ? reshape(at(y), KeptShape(in.shape(), {*normal}))
             : y;
}

}  // namespace

Var argmax(Traced x, int axis, bool keep_dims) {
  return ArgReduce(x, axis, keep_dims, false);
}
Var argmin(Traced x, int axis, bool keep_dims) {
  return ArgReduce(x, axis, keep_dims, true);
}

StatusOr<std::vector<TensorSpec>> ArgReduceOp::Infer(
    std::span<const TensorSpec> inputs) const {
  const Shape& shape = inputs[0].shape;
  const DType dtype = inputs[0].dtype;
  if (dtype != DType::kF32 && dtype != DType::kF64) {
    return ConfigError("expected float numbers, got ", dtype, "; use cast()");
  }
  const std::int64_t extent = shape[axis_];
  if (extent < 1 || extent > std::numeric_limits<std::int32_t>::max()) {
    return ConfigError("expected 1 to 2^31 - 1 elements along axis ",
                       axis_,
                       " of shape ",
                       shape);
  }
  return OneOutput(ReducedShape(shape, {axis_}), DType::kI32);
}

StatusOr<std::unique_ptr<Kernel>> ArgReduceOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeArgReduceKernel(request, axis_, smallest_);
}

}  // namespace gyre
