// Changing a tensor's element type, and stopping its gradient.

#ifndef GYRE_AUTODIFF_OPS_CAST_H_
#define GYRE_AUTODIFF_OPS_CAST_H_

#include "gyre/autodiff/op.h"

namespace gyre {

class CastOp final : public internal::Op {
 public:
  explicit CastOp(DType dtype) : dtype_(dtype) {}
  std::string_view name() const override { return "cast"; }
  std::string attributes() const override { return std::string(Name(dtype_)); }
  StatusOr<std::vector<internal::TensorSpec>> Infer(
      std::span<const internal::TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const internal::VjpArgs& args) const override;
  StatusOr<std::unique_ptr<internal::Kernel>> MakeKernel(
      const internal::KernelRequest& request) const override;

 private:
  DType dtype_;
};

class StopGradientOp final : public internal::Op {
 public:
  std::string_view name() const override { return "stop_gradient"; }
  StatusOr<std::vector<internal::TensorSpec>> Infer(
      std::span<const internal::TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const internal::VjpArgs& args) const override;
  StatusOr<std::unique_ptr<internal::Kernel>> MakeKernel(
      const internal::KernelRequest& request) const override;
  bool is_alias() const override { return true; }
};

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_CAST_H_
