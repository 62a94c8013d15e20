#include "gyre/autodiff/ops/pmax.h"

#include <cstring>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/pmax_op.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre::internal::inline autodiff {
namespace {

class PmaxKernel final : public Kernel {
 public:
  PmaxKernel(const KernelRequest& request, AxisSet axes, bool smallest)
      : count_(request.inputs[0].shape.elements()),
        dtype_(request.inputs[0].dtype),
        axes_(axes),
        smallest_(smallest),
        loc_(request.loc) {}

  Status Run(const KernelArgs& args) override {
    const Mesh* mesh = args.context->mesh;
    Communicator* group = mesh == nullptr ? nullptr : mesh->Group(axes_);
    if (group == nullptr) {
      if (count_ > 0) {
        std::memcpy(args.out[0], args.in[0], count_ * SizeOf(dtype_));
      }
      return OkStatus();
    }
    return group->AllReduce(args.in[0],
                            args.out[0],
                            count_,
                            dtype_,
                            smallest_ ? ReduceOp::kMin : ReduceOp::kMax,
                            {.label = smallest_ ? "pmin" : "pmax",
                             .loc = loc_,
                             .step = args.context->step});
  }

 private:
  std::size_t count_;
  DType dtype_;
  AxisSet axes_;
  bool smallest_;
  SourceLoc loc_;
};

Var Extreme(const Traced& x, bool smallest) {
  const Var var = x.var();
  if (!var.valid() || var.varies() == 0) return var;
  return Located(x).Record(std::make_shared<PmaxOp>(var.varies(), smallest),
                           var);
}

}  // namespace

StatusOr<std::vector<TensorSpec>> PmaxOp::Infer(
    std::span<const TensorSpec> inputs) const {
  TensorSpec out = inputs[0];
  if (!IsFloat(out.dtype)) {
    return ConfigError(
        "expected float numbers, got ", out.dtype, "; use cast()");
  }
  out.varies &= ~axes_;
  return std::vector<TensorSpec>{out};
}

std::vector<Var> PmaxOp::Vjp(const VjpArgs& args) const {
  const Var x = args.inputs[0];
  const Var hit = x == args.outputs[0];
  const Var holders = psum(cast(hit, x.dtype()));
  return {cast(select(hit, args.grads[0] / holders, 0.0), x.dtype())};
}

StatusOr<std::unique_ptr<Kernel>> PmaxOp::MakeKernel(
    const KernelRequest& request) const {
  return std::make_unique<PmaxKernel>(request, axes_, smallest_);
}

Var pmax(Traced x) { return Extreme(x, false); }
Var pmin(Traced x) { return Extreme(x, true); }

}  // namespace gyre::internal::inline autodiff
