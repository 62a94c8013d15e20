// Padding on the sphere's grid: each of the last two axes in its own mode.
//
//   Var y = pad2d(x, {1, 1, PadMode::kReplicate}, {1, 1, PadMode::kCircular});
//
//   x: (..., lat, lon) -> (..., before + lat + after, before + lon + after)
//
// zero, circular (the axis is a ring), reflect (mirrored, the edge not
// repeated) and replicate. Linear: the gradient adds every padded element back
// to the one it was copied from.
//
// Errors: fewer than 2 axes; negative padding; more than a mode can fill.

#ifndef GYRE_AUTODIFF_OPS_PAD2D_H_
#define GYRE_AUTODIFF_OPS_PAD2D_H_

#include "gyre/autodiff/exec/pad_map.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/var.h"

namespace gyre {

Var pad2d(Traced x, const AxisPadding& lat, const AxisPadding& lon);

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

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_PAD2D_H_
