#include "gyre/autodiff/ops/pad2d.h"

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/pad_kernel.h"
#include "gyre/autodiff/exec/reference_planes.h"
#include "gyre/autodiff/exec/widen.h"
#include "gyre/autodiff/ops/pad2d_op.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

Var pad2d(Traced x, const AxisPadding& lat, const AxisPadding& lon) {
  const Var var = x.var();
  if (!var.valid() || (lat.none() && lon.none())) return var;
  return var.tape()->RecordOne(
      std::make_shared<Pad2dOp>(lat, lon), {&var, 1}, x.loc());
}

StatusOr<std::vector<TensorSpec>> Pad2dOp::Infer(
    std::span<const TensorSpec> inputs) const {
  const Shape& x = inputs[0].shape;
  const int rank = x.rank();
  if (rank < 2) {
    return ConfigError("expected x (..., lat, lon), got ", x);
  }
  GYRE_RETURN_IF_ERROR(CheckPadding(lat_, x[rank - 2]));
  GYRE_RETURN_IF_ERROR(CheckPadding(lon_, x[rank - 1]));
  std::vector<std::int64_t> dims = x.dims();
  dims[rank - 2] += lat_.before + lat_.after;
  dims[rank - 1] += lon_.before + lon_.after;
  return OneOutput(Shape(std::move(dims)), inputs[0].dtype);
}

std::vector<Var> Pad2dOp::Vjp(const VjpArgs& args) const {
  const Var dy = args.grads[0];
  return {dy.tape()->RecordOne(
      std::make_shared<Pad2dFoldOp>(lat_, lon_, args.inputs[0].shape()),
      {&dy, 1},
      {})};
}

StatusOr<std::unique_ptr<Kernel>> Pad2dOp::MakeKernel(
    const KernelRequest& request) const {
  return request.set == KernelSet::kReference
             ? MakeReferencePad(request, lat_, lon_)
             : MakePadKernel(request, lat_, lon_);
}

StatusOr<std::vector<TensorSpec>> Pad2dFoldOp::Infer(
    std::span<const TensorSpec> inputs) const {
  return OneOutput(x_, inputs[0].dtype);
}

std::vector<Var> Pad2dFoldOp::Vjp(const VjpArgs& args) const {
  const Var g = args.grads[0];
  return {
      g.tape()->RecordOne(std::make_shared<Pad2dOp>(lat_, lon_), {&g, 1}, {})};
}

StatusOr<std::unique_ptr<Kernel>> Pad2dFoldOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeWidened(request, [this](const KernelRequest& wide) {
    return wide.set == KernelSet::kReference
               ? MakeReferencePadFold(wide, lat_, lon_)
               : MakePadFoldKernel(wide, lat_, lon_);
  });
}

}  // namespace gyre
