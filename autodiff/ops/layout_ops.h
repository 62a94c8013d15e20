// The operations behind shape_ops.h. Programs use the functions there.

#ifndef GYRE_AUTODIFF_OPS_LAYOUT_OPS_H_
#define GYRE_AUTODIFF_OPS_LAYOUT_OPS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "gyre/autodiff/op.h"

namespace gyre::internal::inline autodiff {

class ReshapeOp final : public Op {
 public:
  explicit ReshapeOp(Shape shape) : shape_(std::move(shape)) {}
  std::string_view name() const override { return "reshape"; }
  std::string attributes() const override { return shape_.ToString(); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
  bool is_alias() const override { return true; }

 private:
  Shape shape_;
};

class TransposeOp final : public Op {
 public:
  explicit TransposeOp(std::vector<int> order) : order_(std::move(order)) {}
  std::string_view name() const override { return "transpose"; }
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  std::vector<int> order_;
};

class BroadcastOp final : public Op {
 public:
  explicit BroadcastOp(Shape shape) : shape_(std::move(shape)) {}
  std::string_view name() const override { return "broadcast"; }
  std::string attributes() const override { return shape_.ToString(); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  Shape shape_;
};

// Where a slice lies in the larger tensor: element i of axis a is element
// start[a] + i * step[a] there.
struct StridedRegion {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> step;
  Shape shape;  // of the slice

  std::string ToString() const;
};

// Takes a window out of a tensor. The adjoint of EmbedOp.
class SliceOp final : public Op {
 public:
  explicit SliceOp(StridedRegion window) : window_(std::move(window)) {}
  std::string_view name() const override { return "slice"; }
  std::string attributes() const override { return window_.ToString(); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  StridedRegion window_;
};

// Puts a tensor into a window of a larger one, filled with `fill` elsewhere.
class EmbedOp final : public Op {
 public:
  EmbedOp(StridedRegion window, Shape shape, double fill)
      : window_(std::move(window)), shape_(std::move(shape)), fill_(fill) {}
  std::string_view name() const override { return "pad"; }
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  StridedRegion window_;
  Shape shape_;
  double fill_;
};

class ConcatOp final : public Op {
 public:
  explicit ConcatOp(int axis) : axis_(axis) {}
  std::string_view name() const override { return "concat"; }
  std::string attributes() const override { return Cat("axis=", axis_); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  int axis_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_LAYOUT_OPS_H_
