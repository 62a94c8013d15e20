// The new value of a model's buffer: a copy with a place of its own.

#ifndef GYRE_AUTODIFF_OPS_BUFFER_H_
#define GYRE_AUTODIFF_OPS_BUFFER_H_

#include "gyre/autodiff/op.h"

namespace gyre::internal::inline autodiff {

// Copies its input. Never merged with another nor left out: the training step
// places the result in the state that it commits. No gradient passes.
class BufferOp final : public Op {
 public:
  std::string_view name() const override { return "buffer.set"; }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
  bool has_effect() const override { return true; }
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_BUFFER_H_
