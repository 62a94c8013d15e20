#include "gyre/autodiff/ops/pool.h"

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/reference_planes.h"
#include "gyre/autodiff/exec/widen.h"
#include "gyre/autodiff/ops/pool_op.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

PoolPart Adjoint(PoolPart part) {
  switch (part) {
    case PoolPart::kMean:
      return PoolPart::kMeanGrad;
    case PoolPart::kMeanGrad:
      return PoolPart::kMean;
    case PoolPart::kTake:
      return PoolPart::kPut;
    case PoolPart::kPut:
      break;
  }
  return PoolPart::kTake;
}

bool IsGradient(PoolPart part) {
  return part == PoolPart::kMeanGrad || part == PoolPart::kPut;
}

}  // namespace

Var avg_pool(Traced x, const PoolOptions& options) {
  const Var var = x.var();
  if (!var.valid()) return var;
  return var.tape()->RecordOne(
      std::make_shared<PoolOp>(PoolPart::kMean, options, var.shape()),
      {&var, 1},
      x.loc());
}

Var max_pool(Traced x, const PoolOptions& options) {
  const Var var = x.var();
  if (!var.valid()) return var;
  const Var operands[] = {var, var};
  return var.tape()->RecordOne(
      std::make_shared<PoolOp>(PoolPart::kTake, options, var.shape()),
      operands,
      x.loc());
}

std::string_view PoolOp::name() const {
  switch (part_) {
    case PoolPart::kMean:
      return "avg_pool";
    case PoolPart::kMeanGrad:
      return "avg_pool_grad";
    case PoolPart::kTake:
      return "max_pool";
    case PoolPart::kPut:
      break;
  }
  return "max_pool_grad";
}

StatusOr<std::vector<TensorSpec>> PoolOp::Infer(
    std::span<const TensorSpec> inputs) const {
  if (!IsFloat(inputs[0].dtype)) {
    return ConfigError("expected a float tensor, got ",
                       inputs[0].dtype,
                       " ",
                       inputs[0].shape,
                       "; use cast()");
  }
  GYRE_ASSIGN_OR_RETURN(const PoolShape s, PoolShape::Make(x_, options_));
  return OneOutput(IsGradient(part_) ? x_ : s.Result(x_), inputs[0].dtype);
}

std::vector<Var> PoolOp::Vjp(const VjpArgs& args) const {
  const Var x = args.inputs[0];
  const Var g = args.grads[0];
  const auto op = std::make_shared<PoolOp>(Adjoint(part_), options_, x_);
  if (part_ == PoolPart::kMean || part_ == PoolPart::kMeanGrad) {
    return {x.tape()->RecordOne(op, {&g, 1}, {})};
  }
  // x only says where; the numbers come through the last operand.
  const Var operands[] = {x, g};
  return {Var(), x.tape()->RecordOne(op, operands, {})};
}

StatusOr<std::unique_ptr<Kernel>> PoolOp::MakeKernel(
    const KernelRequest& request) const {
  GYRE_ASSIGN_OR_RETURN(const PoolShape s, PoolShape::Make(x_, options_));
  return MakeWidened(
      request,
      [&](const KernelRequest& wide) -> StatusOr<std::unique_ptr<Kernel>> {
        const DType dtype = wide.outputs[0].dtype;
        return wide.set == KernelSet::kReference
                   ? MakeReferencePool(part_, s, dtype)
                   : MakePoolKernel(part_, s, dtype);
      });
}

}  // namespace gyre
