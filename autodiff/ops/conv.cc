#include "gyre/autodiff/ops/conv.h"

#include "gyre/autodiff/exec/dnnl_conv.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/reference_conv.h"
#include "gyre/autodiff/exec/widen.h"
#include "gyre/autodiff/ops/conv_op.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/pad2d.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

Var Record(std::shared_ptr<const Op> op, Var a, Var b) {
  const Var inputs[] = {a, b};
  return a.tape()->RecordOne(std::move(op), inputs, {});
}

StatusOr<std::unique_ptr<Kernel>> MakeWideConvKernel(
    const KernelRequest& request, ConvPart part, const ConvShape& shape) {
  const DType dtype = request.inputs[0].dtype;
  const bool empty = shape.x.elements() == 0 || shape.weight.elements() == 0 ||
                     shape.y.elements() == 0;
  if (request.set == KernelSet::kReference || dtype == DType::kF64 || empty) {
    return MakeReferenceConv(part, shape, dtype);
  }
  return MakeDnnlConv(part, shape, dtype);
}

StatusOr<std::unique_ptr<Kernel>> MakeConvKernel(const KernelRequest& request,
                                                 ConvPart part,
                                                 const ConvShape& shape) {
  return MakeWidened(request, [&](const KernelRequest& wide) {
    return MakeWideConvKernel(wide, part, shape);
  });
}

Status CheckTypes(std::span<const TensorSpec> inputs) {
  if (inputs[0].dtype == inputs[1].dtype && IsFloat(inputs[0].dtype)) {
    return OkStatus();
  }
  return ConfigError("expected two float tensors of one type, got ",
                     inputs[0].dtype,
                     " and ",
                     inputs[1].dtype,
                     "; use cast()");
}

}  // namespace

Var conv2d(Traced x, Traced weight, const ConvOptions& options) {
  if (const auto bad = Unusable("conv2d", {x, weight})) return *bad;
  Var inputs[] = {x.var(), weight.var()};
  ConvOptions plain = options;
  if (!options.HasPlainPadding()) {
    inputs[0] = pad2d(x, options.AxisPad(0), options.AxisPad(1));
    if (!inputs[0].valid()) return inputs[0];
    plain.padding = {0, 0};
  }
  plain.pad_mode = ConvOptions().pad_mode;
  plain.padding_end = {};
  return inputs[0].tape()->RecordOne(
      std::make_shared<Conv2dOp>(plain), inputs, x.loc());
}

StatusOr<std::vector<TensorSpec>> Conv2dOp::Infer(
    std::span<const TensorSpec> inputs) const {
  GYRE_RETURN_IF_ERROR(CheckTypes(inputs));
  GYRE_ASSIGN_OR_RETURN(
      const ConvShape shape,
      ConvShape::Make(inputs[0].shape, inputs[1].shape, options_));
  return OneOutput(shape.y, inputs[0].dtype);
}

std::vector<Var> Conv2dOp::Vjp(const VjpArgs& args) const {
  const Var x = args.inputs[0];
  const Var weight = args.inputs[1];
  const Var dy = args.grads[0];
  std::vector<Var> grads(2);
  if (args.needed[0]) {
    grads[0] = Record(
        std::make_shared<Conv2dInputGradOp>(options_, x.shape()), dy, weight);
  }
  if (args.needed[1]) {
    grads[1] = Record(
        std::make_shared<Conv2dWeightGradOp>(options_, weight.shape()), x, dy);
  }
  return grads;
}

StatusOr<std::unique_ptr<Kernel>> Conv2dOp::MakeKernel(
    const KernelRequest& request) const {
  GYRE_ASSIGN_OR_RETURN(
      const ConvShape shape,
      ConvShape::Make(
          request.inputs[0].shape, request.inputs[1].shape, options_));
  return MakeConvKernel(request, ConvPart::kForward, shape);
}

std::string Conv2dInputGradOp::attributes() const {
  return Cat(options_.ToString(), " x=", x_);
}

StatusOr<std::vector<TensorSpec>> Conv2dInputGradOp::Infer(
    std::span<const TensorSpec> inputs) const {
  return OneOutput(x_, inputs[0].dtype);
}

// Linear in both inputs: d<g, Wt dy> gives the convolution of g for dy, and
// the weight gradient of (g, dy) for the weight.
std::vector<Var> Conv2dInputGradOp::Vjp(const VjpArgs& args) const {
  const Var dy = args.inputs[0];
  const Var weight = args.inputs[1];
  const Var g = args.grads[0];
  std::vector<Var> grads(2);
  if (args.needed[0]) {
    grads[0] = Record(std::make_shared<Conv2dOp>(options_), g, weight);
  }
  if (args.needed[1]) {
    grads[1] = Record(
        std::make_shared<Conv2dWeightGradOp>(options_, weight.shape()), g, dy);
  }
  return grads;
}

StatusOr<std::unique_ptr<Kernel>> Conv2dInputGradOp::MakeKernel(
    const KernelRequest& request) const {
  GYRE_ASSIGN_OR_RETURN(const ConvShape shape,
                        ConvShape::Make(x_, request.inputs[1].shape, options_));
  return MakeConvKernel(request, ConvPart::kInputGrad, shape);
}

std::string Conv2dWeightGradOp::attributes() const {
  return Cat(options_.ToString(), " weight=", weight_);
}

StatusOr<std::vector<TensorSpec>> Conv2dWeightGradOp::Infer(
    std::span<const TensorSpec> inputs) const {
  return OneOutput(weight_, inputs[0].dtype);
}

std::vector<Var> Conv2dWeightGradOp::Vjp(const VjpArgs& args) const {
  const Var x = args.inputs[0];
  const Var dy = args.inputs[1];
  const Var g = args.grads[0];
  std::vector<Var> grads(2);
  if (args.needed[0]) {
    grads[0] =
        Record(std::make_shared<Conv2dInputGradOp>(options_, x.shape()), dy, g);
  }
  if (args.needed[1]) {
    grads[1] = Record(std::make_shared<Conv2dOp>(options_), x, g);
  }
  return grads;
}

StatusOr<std::unique_ptr<Kernel>> Conv2dWeightGradOp::MakeKernel(
    const KernelRequest& request) const {
  GYRE_ASSIGN_OR_RETURN(
      const ConvShape shape,
      ConvShape::Make(request.inputs[0].shape, weight_, options_));
  return MakeConvKernel(request, ConvPart::kWeightGrad, shape);
}

}  // namespace gyre
