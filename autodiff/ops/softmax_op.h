// The operations behind softmax.h.

#ifndef GYRE_AUTODIFF_OPS_SOFTMAX_OP_H_
#define GYRE_AUTODIFF_OPS_SOFTMAX_OP_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/softmax.h"

namespace gyre::internal::inline autodiff {

// Softmax over the last axis.
class SoftmaxOp final : public Op {
 public:
  explicit SoftmaxOp(bool log) : log_(log) {}
  std::string_view name() const override {
    return log_ ? "log_softmax" : "softmax";
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  bool log_;
};

// (y, dy) -> dx, y being the forward result.
//   softmax:     dx = y (dy - sum(y dy))
//   log_softmax: dx = dy - exp(y) sum(dy), and 0 where the row is all -Inf
class SoftmaxGradOp final : public Op {
 public:
  explicit SoftmaxGradOp(bool log) : log_(log) {}
  std::string_view name() const override {
    return log_ ? "log_softmax_grad" : "softmax_grad";
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  bool log_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_SOFTMAX_OP_H_
