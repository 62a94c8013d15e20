// The operation behind elementwise.h.

#ifndef GYRE_AUTODIFF_OPS_ELEMENTWISE_OP_H_
#define GYRE_AUTODIFF_OPS_ELEMENTWISE_OP_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/pointwise_code.h"

namespace gyre::internal::inline autodiff {

// One elementwise operation; the functions above are its spellings.
class ElementwiseOp final : public Op {
 public:
  explicit ElementwiseOp(Code code) : code_(code) {}
  Code code() const { return code_; }

  std::string_view name() const override { return Name(code_); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  Code code_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_ELEMENTWISE_OP_H_
