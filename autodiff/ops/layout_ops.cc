#include "gyre/autodiff/ops/layout_ops.h"

#include <algorithm>
#include <numeric>

#include "gyre/autodiff/exec/copy_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/strided_copy.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"
#include "gyre/core/number.h"

namespace gyre::internal::inline autodiff {
namespace {

template <class T>
std::string ListText(const std::vector<T>& list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    text += Cat(i > 0 ? "," : "", list[i]);
  }
  return text + "]";
}

class StridedKernel final : public Kernel {
 public:
  explicit StridedKernel(StridedCopy copy) : copy_(std::move(copy)) {}
  Status Run(const KernelArgs& args) override {
    copy_.Run(args.in[0], args.out[0]);
    return OkStatus();
  }

 private:
  StridedCopy copy_;
};

template <class T>
void FillWith(void* out, std::int64_t count, T value) {
  std::fill_n(static_cast<T*>(out), count, value);
}

// `value` in the type of the tensor; whole numbers are cut towards 0.
void Fill(void* out, std::int64_t count, DType dtype, double value) {
  switch (dtype) {
    case DType::kF32:
      return FillWith(out, count, static_cast<float>(value));
    case DType::kF64:
      return FillWith(out, count, value);
    case DType::kBF16:
      return FillWith(out, count, BFloat16(static_cast<float>(value)));
    case DType::kF16:
      return FillWith(out, count, Half(static_cast<float>(value)));
    case DType::kI32:
      return FillWith(out, count, static_cast<std::int32_t>(value));
    case DType::kI64:
      return FillWith(out, count, static_cast<std::int64_t>(value));
    case DType::kU8:
      return FillWith(out, count, static_cast<std::uint8_t>(value));
    case DType::kBool:
      return FillWith(out, count, value != 0);
  }
}

class EmbedKernel final : public Kernel {
 public:
  EmbedKernel(StridedCopy copy, const KernelTensor& out, double fill)
      : copy_(std::move(copy)),
        count_(out.shape.elements()),
        dtype_(out.dtype),
        fill_(fill) {}
  Status Run(const KernelArgs& args) override {
    Fill(args.out[0], count_, dtype_, fill_);
    copy_.Run(args.in[0], args.out[0]);
    return OkStatus();
  }

 private:
  StridedCopy copy_;
  std::int64_t count_;
  DType dtype_;
  double fill_;
};

class ConcatKernel final : public Kernel {
 public:
  explicit ConcatKernel(std::vector<StridedCopy> copies)
      : copies_(std::move(copies)) {}
  Status Run(const KernelArgs& args) override {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      copies_[i].Run(args.in[i], args.out[0]);
    }
    return OkStatus();
  }

 private:
  std::vector<StridedCopy> copies_;
};

// Strides and offset of a window inside a dense tensor of `shape`.
struct WindowStrides {
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};
WindowStrides StridesOf(const StridedRegion& window, const Shape& shape) {
  WindowStrides result{RowMajorStrides(shape), 0};
  for (int i = 0; i < shape.rank(); ++i) {
    result.offset += window.start[i] * result.strides[i];
    result.strides[i] *= window.step[i];
  }
  return result;
}

Status CheckWindow(const StridedRegion& window, const Shape& shape) {
  for (int i = 0; i < shape.rank(); ++i) {
    const std::int64_t count = window.shape[i];
    const std::int64_t last =
        window.start[i] + std::max<std::int64_t>(count - 1, 0) * window.step[i];
    if (window.start[i] < 0 || (count > 0 && last >= shape[i])) {
      return ConfigError("axis ",
                         i,
                         ": positions ",
                         window.start[i],
                         " to ",
                         last,
                         " are not all inside shape ",
                         shape);
    }
  }
  return OkStatus();
}

Var RecordLike(const Var& like, std::shared_ptr<const Op> op) {
  return like.tape()->RecordOne(std::move(op), {&like, 1}, {});
}

}  // namespace

StatusOr<std::vector<TensorSpec>> ReshapeOp::Infer(
    std::span<const TensorSpec> inputs) const {
  if (inputs[0].shape.elements() != shape_.elements()) {
    return ConfigError("cannot lay out shape ",
                       inputs[0].shape,
                       " (",
                       inputs[0].shape.elements(),
                       " elements) as ",
                       shape_,
                       " (",
                       shape_.elements(),
                       " elements)");
  }
  return OneOutput(shape_, inputs[0].dtype);
}

std::vector<Var> ReshapeOp::Vjp(const VjpArgs& args) const {
  return {reshape(args.grads[0], args.inputs[0].shape())};
}

StatusOr<std::unique_ptr<Kernel>> ReshapeOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeCopyKernel(request);
}

std::string TransposeOp::attributes() const { return ListText(order_); }

StatusOr<std::vector<TensorSpec>> TransposeOp::Infer(
    std::span<const TensorSpec> inputs) const {
  const Shape& shape = inputs[0].shape;
  std::vector<int> sorted = order_;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> expected(shape.rank());
  std::iota(expected.begin(), expected.end(), 0);
  if (sorted != expected) {
    return ConfigError("order ",
                       ListText(order_),
                       " is not a permutation of "
                       "the axes of shape ",
                       shape);
  }
  std::vector<std::int64_t> dims;
  for (const int axis : order_) dims.push_back(shape[axis]);
  return OneOutput(Shape(std::move(dims)), inputs[0].dtype);
}

std::vector<Var> TransposeOp::Vjp(const VjpArgs& args) const {
  std::vector<int> inverse(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    inverse[order_[i]] = static_cast<int>(i);
  }
  return {transpose(args.grads[0], std::move(inverse))};
}

StatusOr<std::unique_ptr<Kernel>> TransposeOp::MakeKernel(
    const KernelRequest& request) const {
  const std::vector<std::int64_t> from =
      RowMajorStrides(request.inputs[0].shape);
  std::vector<std::int64_t> strides;
  for (const int axis : order_) strides.push_back(from[axis]);
  const KernelTensor& out = request.outputs[0];
  return std::make_unique<StridedKernel>(StridedCopy(out.shape.dims(),
                                                     std::move(strides),
                                                     RowMajorStrides(out.shape),
                                                     0,
                                                     0,
                                                     SizeOf(out.dtype)));
}

StatusOr<std::vector<TensorSpec>> BroadcastOp::Infer(
    std::span<const TensorSpec> inputs) const {
  GYRE_ASSIGN_OR_RETURN(const Shape both,
                        BroadcastShapes(inputs[0].shape, shape_));
  if (!(both == shape_)) {
    return ConfigError(
        "shape ", inputs[0].shape, " does not broadcast to ", shape_);
  }
  return OneOutput(shape_, inputs[0].dtype);
}

std::vector<Var> BroadcastOp::Vjp(const VjpArgs& args) const {
  return {sum_to(args.grads[0], args.inputs[0].shape())};
}

StatusOr<std::unique_ptr<Kernel>> BroadcastOp::MakeKernel(
    const KernelRequest& request) const {
  const Shape& from = request.inputs[0].shape;
  const KernelTensor& out = request.outputs[0];
  const std::vector<std::int64_t> dense = RowMajorStrides(from);
  std::vector<std::int64_t> strides(out.shape.rank(), 0);
  const int shift = out.shape.rank() - from.rank();
  for (int i = 0; i < from.rank(); ++i) {
    strides[i + shift] = from[i] == 1 ? 0 : dense[i];
  }
  return std::make_unique<StridedKernel>(StridedCopy(out.shape.dims(),
                                                     std::move(strides),
                                                     RowMajorStrides(out.shape),
                                                     0,
                                                     0,
                                                     SizeOf(out.dtype)));
}

std::string StridedRegion::ToString() const {
  return Cat(ListText(start), ":", ListText(step), ":", shape);
}

StatusOr<std::vector<TensorSpec>> SliceOp::Infer(
    std::span<const TensorSpec> inputs) const {
  GYRE_RETURN_IF_ERROR(CheckWindow(window_, inputs[0].shape));
  return OneOutput(window_.shape, inputs[0].dtype);
}

std::vector<Var> SliceOp::Vjp(const VjpArgs& args) const {
  return {RecordLike(
      args.grads[0],
      std::make_shared<EmbedOp>(window_, args.inputs[0].shape(), 0.0))};
}

StatusOr<std::unique_ptr<Kernel>> SliceOp::MakeKernel(
    const KernelRequest& request) const {
  const WindowStrides from = StridesOf(window_, request.inputs[0].shape);
  const KernelTensor& out = request.outputs[0];
  return std::make_unique<StridedKernel>(StridedCopy(out.shape.dims(),
                                                     from.strides,
                                                     RowMajorStrides(out.shape),
                                                     from.offset,
                                                     0,
                                                     SizeOf(out.dtype)));
}

std::string EmbedOp::attributes() const {
  return Cat(window_.ToString(), " in ", shape_, " fill=", Number(fill_));
}

StatusOr<std::vector<TensorSpec>> EmbedOp::Infer(
    std::span<const TensorSpec> inputs) const {
  GYRE_RETURN_IF_ERROR(CheckWindow(window_, shape_));
  return OneOutput(shape_, inputs[0].dtype);
}

std::vector<Var> EmbedOp::Vjp(const VjpArgs& args) const {
  return {RecordLike(args.grads[0], std::make_shared<SliceOp>(window_))};
}

StatusOr<std::unique_ptr<Kernel>> EmbedOp::MakeKernel(
    const KernelRequest& request) const {
  const KernelTensor& in = request.inputs[0];
  const WindowStrides to = StridesOf(window_, shape_);
  return std::make_unique<EmbedKernel>(StridedCopy(in.shape.dims(),
                                                   RowMajorStrides(in.shape),
                                                   to.strides,
                                                   0,
                                                   to.offset,
                                                   SizeOf(in.dtype)),
                                       request.outputs[0],
                                       fill_);
}

StatusOr<std::vector<TensorSpec>> ConcatOp::Infer(
    std::span<const TensorSpec> inputs) const {
  std::vector<std::int64_t> dims = inputs[0].shape.dims();
  dims[axis_] = 0;
  for (const TensorSpec& input : inputs) {
    std::vector<std::int64_t> expected = inputs[0].shape.dims();
    if (input.shape.rank() == inputs[0].shape.rank()) {
      expected[axis_] = input.shape[axis_];
    }
    if (input.shape.dims() != expected || input.dtype != inputs[0].dtype) {
      return ConfigError("parts must agree but for axis ",
                         axis_,
                         ": got ",
                         inputs[0].dtype,
                         " ",
                         inputs[0].shape,
                         " and ",
                         input.dtype,
                         " ",
                         input.shape);
    }
    dims[axis_] += input.shape[axis_];
  }
  return OneOutput(Shape(std::move(dims)), inputs[0].dtype);
}

std::vector<Var> ConcatOp::Vjp(const VjpArgs& args) const {
  std::vector<Var> grads;
  std::int64_t start = 0;
  for (const Var& input : args.inputs) {
    const std::int64_t stop = start + input.shape()[axis_];
    grads.push_back(slice(args.grads[0], axis_, start, stop));
    start = stop;
  }
  return grads;
}

StatusOr<std::unique_ptr<Kernel>> ConcatOp::MakeKernel(
    const KernelRequest& request) const {
  const KernelTensor& out = request.outputs[0];
  const std::vector<std::int64_t> strides = RowMajorStrides(out.shape);
  std::vector<StridedCopy> copies;
  std::int64_t offset = 0;
  for (const KernelTensor& in : request.inputs) {
    copies.emplace_back(in.shape.dims(),
                        RowMajorStrides(in.shape),
                        strides,
                        0,
                        offset,
                        SizeOf(out.dtype));
    offset += in.shape[axis_] * strides[axis_];
  }
  return std::make_unique<ConcatKernel>(std::move(copies));
}

}  // namespace gyre::internal::inline autodiff
