// The operation behind arg_reduce.h.

#ifndef GYRE_AUTODIFF_OPS_ARG_REDUCE_OP_H_
#define GYRE_AUTODIFF_OPS_ARG_REDUCE_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/arg_reduce.h"

namespace gyre::internal::inline autodiff {

class ArgReduceOp final : public Op {
 public:
  ArgReduceOp(int axis, bool smallest) : axis_(axis), smallest_(smallest) {}
  std::string_view name() const override {
    return smallest_ ? "argmin" : "argmax";
  }
  std::string attributes() const override { return Cat("axis=", axis_); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs&) const override { return {Var()}; }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  int axis_;  // in range
  bool smallest_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_ARG_REDUCE_OP_H_
