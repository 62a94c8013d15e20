#include "gyre/autodiff/ops/cast.h"

#include "gyre/autodiff/exec/copy_kernel.h"
#include "gyre/autodiff/exec/elementwise_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre {

using namespace internal;

namespace {

// A program without instructions: the tile engine converts on the way.
StatusOr<std::unique_ptr<Kernel>> MakeConversion(const KernelTensor& in,
                                                 const KernelTensor& out) {
  TileProgram program;
  const bool wide = in.dtype == DType::kF64 || out.dtype == DType::kF64 ||
                    in.dtype == DType::kI64 || out.dtype == DType::kI64 ||
                    in.dtype == DType::kI32 || out.dtype == DType::kI32;
  program.compute = wide ? DType::kF64 : DType::kF32;
  program.extents = out.shape;
  program.AddOutput(program.AddInput(in.dtype, RowMajorStrides(in.shape)),
                    out.dtype);
  return MakeTileKernel(program);
}

}  // namespace

StatusOr<std::vector<TensorSpec>> CastOp::Infer(
    std::span<const TensorSpec> inputs) const {
  return OneOutput(inputs[0].shape, dtype_);
}

std::vector<Var> CastOp::Vjp(const VjpArgs& args) const {
  const DType from = args.inputs[0].dtype();
  if (!IsFloat(from) || !IsFloat(dtype_)) return {Var()};
  return {cast(args.grads[0], from)};
}

StatusOr<std::unique_ptr<Kernel>> CastOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeConversion(request.inputs[0], request.outputs[0]);
}

StatusOr<std::vector<TensorSpec>> StopGradientOp::Infer(
    std::span<const TensorSpec> inputs) const {
  return OneOutput(inputs[0].shape, inputs[0].dtype);
}

std::vector<Var> StopGradientOp::Vjp(const VjpArgs&) const { return {Var()}; }

StatusOr<std::unique_ptr<Kernel>> StopGradientOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeCopyKernel(request);
}

}  // namespace gyre
