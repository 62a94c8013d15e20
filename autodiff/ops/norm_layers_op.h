// The operations behind norm_layers.h.

#ifndef GYRE_AUTODIFF_OPS_NORM_LAYERS_OP_H_
#define GYRE_AUTODIFF_OPS_NORM_LAYERS_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/exec/norm_kernel.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/norm_layers.h"

namespace gyre::internal::inline autodiff {

// x (rows, ...) [, gain] [, bias] -> y, mean (rows), 1 / deviation (rows).
class NormOp final : public Op {
 public:
  explicit NormOp(NormShape shape) : shape_(shape) {}
  std::string_view name() const override;
  std::string attributes() const override { return shape_.ToString(); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  NormShape shape_;
};

// x, dy, mean, 1 / deviation [, gain] -> dx, dgain, dbias.
class NormGradOp final : public Op {
 public:
  explicit NormGradOp(NormShape shape) : shape_(shape) {}
  std::string_view name() const override { return "norm_grad"; }
  std::string attributes() const override { return shape_.ToString(); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  NormShape shape_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_NORM_LAYERS_OP_H_
