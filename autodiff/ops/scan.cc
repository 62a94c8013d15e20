#include "gyre/autodiff/ops/scan.h"

#include <memory>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/scan_kernel.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/scan_op.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre {

using namespace internal;

Var cumsum(Traced x, int axis, bool reverse) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  const auto normal = in.shape().NormalizeAxis(axis);
  if (!normal.ok()) return at.Fail(in, "cumsum", normal.status());
  const bool narrow = in.dtype() == DType::kBF16 || in.dtype() == DType::kF16;
  const Var wide = narrow ? cast(at(in), DType::kF32) : in;
  const Var y = at.Record(std::make_shared<CumsumOp>(*normal, reverse), wide);
  return y.valid() ? cast(at(y), in.dtype()) : y;
}

StatusOr<std::vector<TensorSpec>> CumsumOp::Infer(
    std::span<const TensorSpec> inputs) const {
  const DType dtype = inputs[0].dtype;
  if (dtype != DType::kF32 && dtype != DType::kF64) {
    return ConfigError("expected float numbers, got ", dtype, "; use cast()");
  }
  return OneOutput(inputs[0].shape, dtype);
}

std::vector<Var> CumsumOp::Vjp(const VjpArgs& args) const {
  return {cumsum(args.grads[0], axis_, !reverse_)};
}

StatusOr<std::unique_ptr<Kernel>> CumsumOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeCumsumKernel(request, axis_, reverse_);
}

}  // namespace gyre
