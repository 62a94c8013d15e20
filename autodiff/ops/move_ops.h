// The operations behind flip and roll (arrange.h).

#ifndef GYRE_AUTODIFF_OPS_MOVE_OPS_H_
#define GYRE_AUTODIFF_OPS_MOVE_OPS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "gyre/autodiff/op.h"

namespace gyre::internal::inline autodiff {

class FlipOp final : public Op {
 public:
  // Axes sorted and in range.
  explicit FlipOp(std::vector<int> axes) : axes_(std::move(axes)) {}
  std::string_view name() const override { return "flip"; }
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  std::vector<int> axes_;
};

class RollOp final : public Op {
 public:
  // 0 < shift < extent of the axis.
  RollOp(std::int64_t shift, int axis) : shift_(shift), axis_(axis) {}
  std::string_view name() const override { return "roll"; }
  std::string attributes() const override {
    return Cat("shift=", shift_, " axis=", axis_);
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  std::int64_t shift_;
  int axis_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_MOVE_OPS_H_
