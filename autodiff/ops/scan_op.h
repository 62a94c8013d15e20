// The operation behind scan.h.

#ifndef GYRE_AUTODIFF_OPS_SCAN_OP_H_
#define GYRE_AUTODIFF_OPS_SCAN_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/scan.h"

namespace gyre::internal::inline autodiff {

class CumsumOp final : public Op {
 public:
  CumsumOp(int axis, bool reverse) : axis_(axis), reverse_(reverse) {}
  std::string_view name() const override { return "cumsum"; }
  std::string attributes() const override {
    return Cat("axis=", axis_, reverse_ ? " reverse" : "");
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  int axis_;  // in range
  bool reverse_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_SCAN_OP_H_
