#include "gyre/autodiff/ops/move_ops.h"

#include <memory>

#include "gyre/autodiff/exec/axis_span.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/strided_copy.h"
#include "gyre/autodiff/ops/arrange.h"

namespace gyre::internal::inline autodiff {
namespace {

class CopiesKernel final : public Kernel {
 public:
  explicit CopiesKernel(std::vector<StridedCopy> copies)
      : copies_(std::move(copies)) {}
  Status Run(const KernelArgs& args) override {
    for (const StridedCopy& copy : copies_) copy.Run(args.in[0], args.out[0]);
    return OkStatus();
  }

 private:
  std::vector<StridedCopy> copies_;
};

}  // namespace

std::string FlipOp::attributes() const {
  std::string text = "axes=";
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    text += Cat(i > 0 ? "," : "", axes_[i]);
  }
  return text;
}

StatusOr<std::vector<TensorSpec>> FlipOp::Infer(
    std::span<const TensorSpec> inputs) const {
  return OneOutput(inputs[0].shape, inputs[0].dtype);
}

std::vector<Var> FlipOp::Vjp(const VjpArgs& args) const {
  return {flip(args.grads[0], axes_)};
}

StatusOr<std::unique_ptr<Kernel>> FlipOp::MakeKernel(
    const KernelRequest& request) const {
  const KernelTensor& out = request.outputs[0];
  const std::vector<std::int64_t> dense = RowMajorStrides(out.shape);
  std::vector<std::int64_t> from = dense;
  std::int64_t offset = 0;
  for (const int axis : axes_) {
    offset += (out.shape[axis] - 1) * dense[axis];
    from[axis] = -dense[axis];
  }
  std::vector<StridedCopy> copies;
  copies.emplace_back(
      out.shape.dims(), from, dense, offset, 0, SizeOf(out.dtype));
  return std::make_unique<CopiesKernel>(std::move(copies));
}

StatusOr<std::vector<TensorSpec>> RollOp::Infer(
    std::span<const TensorSpec> inputs) const {
  return OneOutput(inputs[0].shape, inputs[0].dtype);
}

std::vector<Var> RollOp::Vjp(const VjpArgs& args) const {
  return {roll(args.grads[0], -shift_, axis_)};
}

StatusOr<std::unique_ptr<Kernel>> RollOp::MakeKernel(
    const KernelRequest& request) const {
  const KernelTensor& out = request.outputs[0];
  const AxisSpan span(out.shape, axis_);
  const std::int64_t rest = span.extent - shift_;
  const std::int64_t block = span.extent * span.inner;
  const std::size_t bytes = SizeOf(out.dtype);
  std::vector<StridedCopy> copies;
  // The head of each block moves up by the shift; its tail comes first.
  copies.emplace_back(std::vector<std::int64_t>{span.outer, rest * span.inner},
                      std::vector<std::int64_t>{block, 1},
                      std::vector<std::int64_t>{block, 1},
                      0,
                      shift_ * span.inner,
                      bytes);
  copies.emplace_back(
      std::vector<std::int64_t>{span.outer, shift_ * span.inner},
      std::vector<std::int64_t>{block, 1},
      std::vector<std::int64_t>{block, 1},
      rest * span.inner,
      0,
      bytes);
  return std::make_unique<CopiesKernel>(std::move(copies));
}

}  // namespace gyre::internal::inline autodiff
