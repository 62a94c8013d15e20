// The operation behind random.h.

#ifndef GYRE_AUTODIFF_OPS_RANDOM_OP_H_
#define GYRE_AUTODIFF_OPS_RANDOM_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/exec/random_kernel.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/random.h"

namespace gyre::internal::inline autodiff {

// Needs no input. One that is given is not read: it says when to draw
// (autodiff/checkpoint.h), and makes a drawing that is not merged with others.
class RandomOp final : public Op {
 public:
  RandomOp(Draw draw, Shape shape, const RandomKey& key, AxisSet varies);
  std::string_view name() const override {
    return draw_ == Draw::kUniform ? "uniform" : "normal";
  }
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override {
    return std::vector<Var>(args.inputs.size());
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
  // It says itself where its numbers vary.
  bool moves_data() const override { return true; }

 private:
  Draw draw_;
  Shape shape_;
  std::uint64_t seed_;
  std::string stream_;
  AxisSet varies_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_RANDOM_OP_H_
