// The operation behind resize.h.

#ifndef GYRE_AUTODIFF_OPS_RESIZE_OP_H_
#define GYRE_AUTODIFF_OPS_RESIZE_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/resize_kernel.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/resize.h"

namespace gyre::internal::inline autodiff {

class ResizeOp final : public Op {
 public:
  // From `x` to `y`, or (the adjoint) from a gradient of shape `y` to one of
  // shape `x`.
  ResizeOp(ResizeMode mode, Shape x, Shape y, bool adjoint)
      : mode_(mode), x_(std::move(x)), y_(std::move(y)), adjoint_(adjoint) {}
  std::string_view name() const override {
    return adjoint_ ? "resize_grad" : "resize";
  }
  std::string attributes() const override {
    return Cat(Name(mode_), " ", x_, " -> ", y_);
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  ResizeMode mode_;
  Shape x_, y_;
  bool adjoint_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_RESIZE_OP_H_
