// The largest and the smallest over the ranks.

#ifndef GYRE_AUTODIFF_OPS_PMAX_H_
#define GYRE_AUTODIFF_OPS_PMAX_H_

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/var.h"

namespace gyre {

// The extreme over the ranks along all axes over which x varies; the result
// varies over none. A value that does not vary is returned as it is. NaN on
// any rank gives NaN on every rank (N4). Gradient: to the ranks that hold the
// extreme, in equal shares; none where it is NaN.
Var pmax(Traced x);
Var pmin(Traced x);

// One rank's numbers against the same positions on the other ranks.
class PmaxOp final : public Op {
 public:
  PmaxOp(AxisSet axes, bool smallest) : axes_(axes), smallest_(smallest) {}
  std::string_view name() const override { return smallest_ ? "pmin" : "pmax"; }
  std::string attributes() const override { return Cat("axes=", axes_); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
  bool moves_data() const override { return true; }

 private:
  AxisSet axes_;
  bool smallest_;
};

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_PMAX_H_
