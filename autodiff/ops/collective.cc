#include "gyre/autodiff/ops/collective.h"

#include <cstring>

#include "gyre/autodiff/exec/copy_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/collective_op.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

std::string AxesText(AxisSet axes) { return Cat("axes=", axes); }

class PsumKernel final : public Kernel {
 public:
  PsumKernel(const KernelRequest& request, AxisSet axes)
      : count_(request.inputs[0].shape.elements()),
        dtype_(request.inputs[0].dtype),
        axes_(axes),
        loc_(request.loc) {}

  Status Run(const KernelArgs& args) override {
    const Mesh* mesh = args.context->mesh;
    Communicator* group = mesh == nullptr ? nullptr : mesh->Group(axes_);
    if (group == nullptr) {
      std::memcpy(args.out[0], args.in[0], count_ * SizeOf(dtype_));
      return OkStatus();
    }
    return group->AllReduce(
        args.in[0],
        args.out[0],
        count_,
        dtype_,
        ReduceOp::kSum,
        {.label = "psum", .loc = loc_, .step = args.context->step});
  }

 private:
  std::size_t count_;
  DType dtype_;
  AxisSet axes_;
  SourceLoc loc_;
};

}  // namespace

std::string VaryOp::attributes() const { return AxesText(axes_); }

StatusOr<std::vector<TensorSpec>> VaryOp::Infer(
    std::span<const TensorSpec> inputs) const {
  TensorSpec out = inputs[0];
  out.varies |= axes_;
  return std::vector<TensorSpec>{out};
}

std::vector<Var> VaryOp::Vjp(const VjpArgs& args) const {
  Tape& tape = *args.grads[0].tape();
  return {tape.RecordOne(
      std::make_shared<PsumOp>(axes_), args.grads.subspan(0, 1), {})};
}

StatusOr<std::unique_ptr<Kernel>> VaryOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeCopyKernel(request);
}

std::string PsumOp::attributes() const { return AxesText(axes_); }

StatusOr<std::vector<TensorSpec>> PsumOp::Infer(
    std::span<const TensorSpec> inputs) const {
  TensorSpec out = inputs[0];
  if (!IsFloat(out.dtype)) {
    return ConfigError("expected float numbers, got ", out.dtype);
  }
  // Summing an invariant number over ranks is a different thing (it counts
  // the ranks); the typed form refuses it.
  if ((out.varies & axes_) != axes_) {
    return ConfigError(
        "the value does not vary over every axis it is summed "
        "over");
  }
  out.varies &= ~axes_;
  return std::vector<TensorSpec>{out};
}

std::vector<Var> PsumOp::Vjp(const VjpArgs& args) const {
  Tape& tape = *args.grads[0].tape();
  return {tape.RecordOne(
      std::make_shared<VaryOp>(axes_), args.grads.subspan(0, 1), {})};
}

StatusOr<std::unique_ptr<Kernel>> PsumOp::MakeKernel(
    const KernelRequest& request) const {
  return std::make_unique<PsumKernel>(request, axes_);
}

Var vary_like(Traced x, const Var& like) {
  const Var var = x.var();
  if (!var.valid() || !like.valid()) return var;
  const AxisSet missing = like.varies() & ~var.varies();
  if (missing == 0) return var;
  return var.tape()->RecordOne(
      std::make_shared<VaryOp>(missing), {&var, 1}, x.loc());
}

Var psum(Traced x) {
  const Var var = x.var();
  if (!var.valid() || var.varies() == 0) return var;
  const Var inputs[] = {var};
  return var.tape()->RecordOne(
      std::make_shared<PsumOp>(var.varies()), inputs, x.loc());
}

Var pmean(Traced x) {
  const Var var = x.var();
  if (!var.valid() || var.varies() == 0) return var;
  const Mesh* mesh = var.tape()->mesh();
  const int ranks = mesh == nullptr ? 1 : mesh->SizeOf(var.varies());
  const Located at(x);
  return at(psum(x)) * at(1.0 / ranks);
}

}  // namespace gyre
