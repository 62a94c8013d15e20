// Values and the mesh: where a number differs from rank to rank.
//
// A Var varies over the axes along which ranks hold different numbers. A
// batch varies over "data"; a parameter does not. Using one with the other
// inserts `vary` on the parameter, and the transpose of `vary` is `psum`: so
// the sum of gradients over ranks appears by itself, once.

#ifndef GYRE_AUTODIFF_OPS_COLLECTIVE_H_
#define GYRE_AUTODIFF_OPS_COLLECTIVE_H_

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/var.h"

namespace gyre {

// The sum over the ranks along all axes over which x varies; the result
// varies over none. A value that does not vary is returned as it is.
// Gradient: every rank's contribution gets the sum's gradient.
Var psum(Traced x);
// The mean over the same ranks.
Var pmean(Traced x);

// x as a number that varies at least where `like` does.
Var vary_like(Traced x, const Var& like);

// The identity that says: from here on, this number belongs to this rank.
class VaryOp final : public Op {
 public:
  explicit VaryOp(AxisSet axes) : axes_(axes) {}
  std::string_view name() const override { return "vary"; }
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
  bool is_alias() const override { return true; }
  bool moves_data() const override { return true; }

 private:
  AxisSet axes_;
};

class PsumOp final : public Op {
 public:
  explicit PsumOp(AxisSet axes) : axes_(axes) {}
  AxisSet axes() const { return axes_; }
  std::string_view name() const override { return "psum"; }
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
  // Ranks must meet in the recorded order.
  bool has_effect() const override { return false; }
  bool moves_data() const override { return true; }

 private:
  AxisSet axes_;
};

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_COLLECTIVE_H_
