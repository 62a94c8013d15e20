#include "gyre/autodiff/ops/buffer.h"

#include "gyre/autodiff/exec/copy_kernel.h"
#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

StatusOr<std::vector<TensorSpec>> BufferOp::Infer(
    std::span<const TensorSpec> inputs) const {
  return OneOutput(inputs[0].shape, inputs[0].dtype);
}

std::vector<Var> BufferOp::Vjp(const VjpArgs&) const { return {Var()}; }

StatusOr<std::unique_ptr<Kernel>> BufferOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeCopyKernel(request);
}

}  // namespace gyre::internal::inline autodiff
