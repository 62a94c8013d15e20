// Changing a tensor's element type, and stopping its gradient.

#ifndef GYRE_AUTODIFF_OPS_CAST_H_
#define GYRE_AUTODIFF_OPS_CAST_H_

#include "gyre/autodiff/op.h"

namespace gyre {

class CastOp final : public Op {
 public:
  explicit CastOp(DType dtype) : dtype_(dtype) {}
  std::string_view name() const override { return "cast"; }
  std::string attributes() const override { return std::string(Name(dtype_)); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  DType dtype_;
};

class StopGradientOp final : public Op {
 public:
  std::string_view name() const override { return "stop_gradient"; }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
  bool is_alias() const override { return true; }
};

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_CAST_H_
