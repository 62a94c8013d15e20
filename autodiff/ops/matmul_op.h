// The operation behind matmul.h.

#ifndef GYRE_AUTODIFF_OPS_MATMUL_OP_H_
#define GYRE_AUTODIFF_OPS_MATMUL_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/matmul.h"

namespace gyre::internal::inline autodiff {

class MatmulOp final : public Op {
 public:
  MatmulOp(bool transpose_a, bool transpose_b)
      : transpose_a_(transpose_a), transpose_b_(transpose_b) {}

  std::string_view name() const override { return "matmul"; }
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  bool transpose_a_;
  bool transpose_b_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_MATMUL_OP_H_
