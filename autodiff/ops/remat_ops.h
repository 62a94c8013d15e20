// The operations behind checkpoint (autodiff/checkpoint.h). Both are aliases:
// they cost nothing when the plan runs.

#ifndef GYRE_AUTODIFF_OPS_REMAT_OPS_H_
#define GYRE_AUTODIFF_OPS_REMAT_OPS_H_

#include <utility>
#include <vector>

#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline autodiff {

// The first input, not before the second is there: values computed from it
// are other values than those computed from the input itself.
class BarrierOp final : public Op {
 public:
  std::string_view name() const override { return "barrier"; }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override {
    return std::vector<TensorSpec>{inputs[0]};
  }
  std::vector<Var> Vjp(const VjpArgs& args) const override {
    return {args.grads[0], Var()};
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
  bool is_alias() const override { return true; }
  // The second input has no say in where the value varies.
  bool moves_data() const override { return true; }
};

// A part of a tape: the nodes [first, last), which compute `result` from
// `sources`, and from constants.
struct TapeSegment {
  NodeId first = 0;
  NodeId last = 0;
  ValueId result = -1;
  std::vector<ValueId> sources;
};

// The first input, which is the segment's result; the others are its sources.
// The gradient goes to them, by way of the segment recorded anew.
class CheckpointOp final : public Op {
 public:
  explicit CheckpointOp(TapeSegment segment) : segment_(std::move(segment)) {}
  std::string_view name() const override { return "checkpoint"; }
  std::string attributes() const override {
    return Cat("nodes ", segment_.first, " to ", segment_.last - 1);
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override {
    return std::vector<TensorSpec>{inputs[0]};
  }
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
  bool is_alias() const override { return true; }
  bool moves_data() const override { return true; }

 private:
  TapeSegment segment_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_REMAT_OPS_H_
