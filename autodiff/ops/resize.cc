#include "gyre/autodiff/ops/resize.h"

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/reference_planes.h"
#include "gyre/autodiff/exec/widen.h"
#include "gyre/autodiff/ops/resize_op.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

Var resize(Traced x, std::int64_t height, std::int64_t width, ResizeMode mode) {
  const Var var = x.var();
  if (!var.valid()) return var;
  const Shape& shape = var.shape();
  const int rank = shape.rank();
  if (rank < 2 || shape[rank - 2] < 1 || shape[rank - 1] < 1 || height < 1 ||
      width < 1) {
    var.tape()->NoteError(
        x.loc(),
        "resize",
        ConfigError("expected x (..., h, w) and sizes of 1 or more, got ",
                    shape,
                    " to ",
                    height,
                    " x ",
                    width));
    return Var(var.tape(), -1);
  }
  std::vector<std::int64_t> dims = shape.dims();
  dims[rank - 2] = height;
  dims[rank - 1] = width;
  const Shape y(std::move(dims));
  if (y == shape) return var;
  return var.tape()->RecordOne(
      std::make_shared<ResizeOp>(mode, shape, y, false), {&var, 1}, x.loc());
}

StatusOr<std::vector<TensorSpec>> ResizeOp::Infer(
    std::span<const TensorSpec> inputs) const {
  if (!IsFloat(inputs[0].dtype)) {
    return ConfigError("expected a float tensor, got ",
                       inputs[0].dtype,
                       " ",
                       inputs[0].shape,
                       "; use cast()");
  }
  return OneOutput(adjoint_ ? x_ : y_, inputs[0].dtype);
}

std::vector<Var> ResizeOp::Vjp(const VjpArgs& args) const {
  const Var g = args.grads[0];
  return {g.tape()->RecordOne(
      std::make_shared<ResizeOp>(mode_, x_, y_, !adjoint_), {&g, 1}, {})};
}

StatusOr<std::unique_ptr<Kernel>> ResizeOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeWidened(
      request,
      [&](const KernelRequest& wide) -> StatusOr<std::unique_ptr<Kernel>> {
        if (wide.set == KernelSet::kReference) {
          return adjoint_ ? MakeReferenceResizeGrad(wide, mode_)
                          : MakeReferenceResize(wide, mode_);
        }
        return adjoint_ ? MakeResizeGradKernel(wide, mode_)
                        : MakeResizeKernel(wide, mode_);
      });
}

}  // namespace gyre
