// The operation behind reduce.h.

#ifndef GYRE_AUTODIFF_OPS_REDUCE_OP_H_
#define GYRE_AUTODIFF_OPS_REDUCE_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/reduce_kernel.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/reduce.h"

namespace gyre::internal::inline autodiff {

// Reduces some axes away; they must be sorted and in range.
class ReduceAxesOp final : public Op {
 public:
  ReduceAxesOp(Reduction reduction, std::vector<int> axes)
      : reduction_(reduction), axes_(std::move(axes)) {}
  Reduction reduction() const { return reduction_; }
  const std::vector<int>& axes() const { return axes_; }

  std::string_view name() const override;
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  Reduction reduction_;
  std::vector<int> axes_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_REDUCE_OP_H_
