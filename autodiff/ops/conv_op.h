// The operations behind conv.h.

#ifndef GYRE_AUTODIFF_OPS_CONV_OP_H_
#define GYRE_AUTODIFF_OPS_CONV_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/conv_shape.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/conv.h"

namespace gyre::internal::inline autodiff {

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

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_CONV_OP_H_
