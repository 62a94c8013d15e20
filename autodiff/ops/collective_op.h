// The operations behind collective.h.

#ifndef GYRE_AUTODIFF_OPS_COLLECTIVE_OP_H_
#define GYRE_AUTODIFF_OPS_COLLECTIVE_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/collective.h"

namespace gyre::internal::inline autodiff {

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

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_COLLECTIVE_OP_H_
