// The operation behind pool.h.

#ifndef GYRE_AUTODIFF_OPS_POOL_OP_H_
#define GYRE_AUTODIFF_OPS_POOL_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/pool_kernel.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/pool.h"

namespace gyre::internal::inline autodiff {

// One of the four computations of pooling; each is linear in its last
// operand, and another of the four is its adjoint.
class PoolOp final : public Op {
 public:
  // `x`: the shape before pooling.
  PoolOp(PoolPart part, PoolOptions options, Shape x)
      : part_(part), options_(options), x_(std::move(x)) {}
  std::string_view name() const override;
  std::string attributes() const override {
    return Cat(options_.ToString(), " x=", x_);
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  PoolPart part_;
  PoolOptions options_;
  Shape x_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_POOL_OP_H_
