// Two-dimensional convolution (cross-correlation, as in every framework).

#ifndef GYRE_AUTODIFF_OPS_CONV_H_
#define GYRE_AUTODIFF_OPS_CONV_H_

#include "gyre/autodiff/exec/conv_shape.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/var.h"

namespace gyre {

// x: (batch, in, h, w), weight: (out, in / groups, kh, kw)
//   -> (batch, out, h', w') with
//   h' = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1.
//
//   conv2d(x, w, {.padding = {1, 1},
//                 .pad_mode = {PadMode::kReplicate, PadMode::kCircular}});
//
// Padding other than as many zeros before as after is a pad2d of its own,
// followed by a convolution without padding. bf16 and f16 sum in f32.
Var conv2d(Traced x, Traced weight, const ConvOptions& options = {});

class Conv2dOp final : public Op {
 public:
  explicit Conv2dOp(ConvOptions options) : options_(options) {}
  std::string_view name() const override { return "conv2d"; }
  std::string attributes() const override { return options_.ToString(); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  ConvOptions options_;
};

// d loss / d x from (dy, weight): the transposed convolution.
class Conv2dInputGradOp final : public Op {
 public:
  Conv2dInputGradOp(ConvOptions options, Shape x)
      : options_(options), x_(std::move(x)) {}
  std::string_view name() const override { return "conv2d_input_grad"; }
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  ConvOptions options_;
  Shape x_;
};

// d loss / d weight from (x, dy).
class Conv2dWeightGradOp final : public Op {
 public:
  Conv2dWeightGradOp(ConvOptions options, Shape weight)
      : options_(options), weight_(std::move(weight)) {}
  std::string_view name() const override { return "conv2d_weight_grad"; }
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  ConvOptions options_;
  Shape weight_;
};

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_CONV_H_
