// The operations behind gather.h.

#ifndef GYRE_AUTODIFF_OPS_GATHER_OPS_H_
#define GYRE_AUTODIFF_OPS_GATHER_OPS_H_

#include <cstdint>

#include "gyre/autodiff/op.h"

namespace gyre::internal::inline autodiff {

// Slices of the first input at the second's indices. Out of range: NaN, or
// 0 if `zero_fill`.
class GatherOp final : public Op {
 public:
  GatherOp(int axis, bool zero_fill) : axis_(axis), zero_fill_(zero_fill) {}
  std::string_view name() const override { return "gather"; }
  std::string attributes() const override {
    return Cat("axis=", axis_, zero_fill_ ? " fill=0" : "");
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  int axis_;  // in range
  bool zero_fill_;
};

// The adjoint: zeros with the first input's slices added at the second's
// indices. `extent` is that of the axis of the result. f32 and f64.
class ScatterOp final : public Op {
 public:
  ScatterOp(int axis, std::int64_t extent) : axis_(axis), extent_(extent) {}
  std::string_view name() const override { return "scatter_add"; }
  std::string attributes() const override {
    return Cat("axis=", axis_, " extent=", extent_);
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  int axis_;  // where the axes of the indices begin in the first input
  std::int64_t extent_;
};

class OneHotOp final : public Op {
 public:
  OneHotOp(std::int64_t depth, DType dtype) : depth_(depth), dtype_(dtype) {}
  std::string_view name() const override { return "one_hot"; }
  std::string attributes() const override {
    return Cat("depth=", depth_, " ", dtype_);
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs&) const override { return {Var()}; }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  std::int64_t depth_;
  DType dtype_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_GATHER_OPS_H_
