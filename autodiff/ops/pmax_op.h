// The operation behind pmax.h.

#ifndef GYRE_AUTODIFF_OPS_PMAX_OP_H_
#define GYRE_AUTODIFF_OPS_PMAX_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/pmax.h"

namespace gyre::internal::inline autodiff {

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

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_PMAX_OP_H_
