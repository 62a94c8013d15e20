// The operations behind pad2d.h.

#ifndef GYRE_AUTODIFF_OPS_PAD2D_OP_H_
#define GYRE_AUTODIFF_OPS_PAD2D_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/pad_map.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/pad2d.h"

namespace gyre::internal::inline autodiff {

class Pad2dOp final : public Op {
 public:
  Pad2dOp(const AxisPadding& lat, const AxisPadding& lon)
      : lat_(lat), lon_(lon) {}
  std::string_view name() const override { return "pad2d"; }
  std::string attributes() const override {
    return Cat("lat=", lat_, " lon=", lon_);
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  AxisPadding lat_, lon_;
};

// The adjoint: dy -> dx of shape `x`.
class Pad2dFoldOp final : public Op {
 public:
  Pad2dFoldOp(const AxisPadding& lat, const AxisPadding& lon, Shape x)
      : lat_(lat), lon_(lon), x_(std::move(x)) {}
  std::string_view name() const override { return "pad2d_fold"; }
  std::string attributes() const override {
    return Cat("lat=", lat_, " lon=", lon_, " x=", x_);
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  AxisPadding lat_, lon_;
  Shape x_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_PAD2D_OP_H_
