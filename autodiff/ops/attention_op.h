// The operations behind attention.h.

#ifndef GYRE_AUTODIFF_OPS_ATTENTION_OP_H_
#define GYRE_AUTODIFF_OPS_ATTENTION_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/exec/attention_shape.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/attention.h"

namespace gyre::internal::inline autodiff {

// q, k, v [, mask] [, bias] -> y, log of each row's sum (batch, heads, sq).
class AttentionOp final : public Op {
 public:
  explicit AttentionOp(AttentionOptionsKey key) : key_(key) {}
  std::string_view name() const override { return "attention"; }
  std::string attributes() const override { return key_.ToString(); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  AttentionOptionsKey key_;
};

// q, k, v, y, log-sums, dy [, mask] [, bias] -> dq, dk, dv [, dbias].
class AttentionGradOp final : public Op {
 public:
  explicit AttentionGradOp(AttentionOptionsKey key) : key_(key) {}
  std::string_view name() const override { return "attention_grad"; }
  std::string attributes() const override { return key_.ToString(); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  AttentionOptionsKey key_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_ATTENTION_OP_H_
