// An operation of your own, with its own gradient: a library call, or a loop
// that no composition of operations says well.
//
//   struct SoftClip {                       // y = limit * tanh(x / limit)
//     static constexpr std::string_view kName = "soft_clip";
//     float limit = 1.0f;
//     StatusOr<Shape> InferShape(std::span<const Shape> in) const {
//       return in[0];
//     }
//     // What the backward pass wants to keep: here tanh(x / limit).
//     std::vector<Shape> Saved(std::span<const Shape> in) const {
//       return {in[0]};
//     }
//     template <class T>
//     void Forward(const CustomForward<T>& a) const;
//     template <class T>
//     void Backward(const CustomBackward<T>& a) const;   // a.dx[0][i] += ...
//     std::string Describe() const { return Cat("limit=", limit); }
//   };
//   Var y = custom(SoftClip{2.0f}, x);
//
// Forward and Backward are compiled for float and for double, so that
// GradCheck can hold the gradient against finite differences.
//
// WARNING 1: Backward adds to dx, which starts at zero.
// WARNING 2: Describe must tell two differently set operations apart: equal
// text on equal inputs is computed once.
// WARNING 3: both are called once a step on dense row-major memory; they
// must not keep the pointers.

#ifndef GYRE_AUTODIFF_OPS_CUSTOM_OP_H_
#define GYRE_AUTODIFF_OPS_CUSTOM_OP_H_

#include <algorithm>
#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

// Dense memory with its shape.
template <class T>
struct View {
  T* data = nullptr;
  Shape shape;

  std::int64_t size() const { return shape.elements(); }
  T& operator[](std::int64_t i) const { return data[i]; }
  std::span<T> span() const { return {data, static_cast<std::size_t>(size())}; }
};

template <class T>
struct CustomForward {
  std::vector<View<const T>> x;  // the inputs
  View<T> y;
  std::vector<View<T>> saved;  // as Saved() declared, to be filled
};

template <class T>
struct CustomBackward {
  std::vector<View<const T>> x;
  std::vector<View<const T>> saved;
  View<const T> dy;
  std::vector<View<T>> dx;  // one per input; no data where none is needed
};

template <class F>
concept CustomOp = requires(const F f,
                            std::span<const Shape> shapes,
                            const CustomForward<float>& forward,
                            const CustomBackward<double>& backward) {
  { F::kName } -> std::convertible_to<std::string_view>;
  { f.InferShape(shapes) } -> std::same_as<StatusOr<Shape>>;
  { f.Saved(shapes) } -> std::same_as<std::vector<Shape>>;
  { f.Describe() } -> std::convertible_to<std::string>;
  f.Forward(forward);
  f.Backward(backward);
};

namespace internal {

inline std::vector<Shape> ShapesOf(std::span<const TensorSpec> specs) {
  std::vector<Shape> shapes;
  for (const TensorSpec& spec : specs) shapes.push_back(spec.shape);
  return shapes;
}

template <class T>
View<T> ViewOf(void* data, const KernelTensor& tensor) {
  return {static_cast<T*>(data), tensor.shape};
}

template <class T, class F>
class CustomForwardKernel final : public Kernel {
 public:
  CustomForwardKernel(F op, const KernelRequest& request)
      : op_(std::move(op)), request_(request) {
    args_.x.resize(request.inputs.size());
    args_.saved.resize(request.outputs.size() - 1);
    for (std::size_t i = 0; i < args_.saved.size(); ++i) {
      // Forward may always write what it saves, wanted or not.
      const bool used = request.output_used[i + 1];
      spare_.push_back(
          used ? Tensor() : Tensor(DTypeOf<T>(), request.outputs[i + 1].shape));
    }
  }

  Status Run(const KernelArgs& args) override {
    for (std::size_t i = 0; i < args_.x.size(); ++i) {
      args_.x[i] = ViewOf<const T>(args.in[i], request_.inputs[i]);
    }
    args_.y = ViewOf<T>(args.out[0], request_.outputs[0]);
    for (std::size_t i = 0; i < args_.saved.size(); ++i) {
      void* data =
          args.out[i + 1] != nullptr ? args.out[i + 1] : spare_[i].raw();
      args_.saved[i] = ViewOf<T>(data, request_.outputs[i + 1]);
    }
    op_.Forward(args_);
    return OkStatus();
  }

 private:
  F op_;
  KernelRequest request_;
  CustomForward<T> args_;
  std::vector<Tensor> spare_;
};

template <class T, class F>
class CustomBackwardKernel final : public Kernel {
 public:
  // Inputs: x..., saved..., dy. Outputs: dx of every x.
  CustomBackwardKernel(F op, const KernelRequest& request)
      : op_(std::move(op)), request_(request) {
    args_.x.resize(request.outputs.size());
    args_.dx.resize(request.outputs.size());
    args_.saved.resize(request.inputs.size() - args_.x.size() - 1);
  }

  Status Run(const KernelArgs& args) override {
    const std::size_t n = args_.x.size();
    for (std::size_t i = 0; i < n; ++i) {
      args_.x[i] = ViewOf<const T>(args.in[i], request_.inputs[i]);
      args_.dx[i] = ViewOf<T>(args.out[i], request_.outputs[i]);
      if (args.out[i] == nullptr) continue;
      std::fill_n(args.output<T>(i), args_.dx[i].size(), T(0));
    }
    for (std::size_t i = 0; i < args_.saved.size(); ++i) {
      args_.saved[i] = ViewOf<const T>(args.in[n + i], request_.inputs[n + i]);
    }
    const std::size_t last = request_.inputs.size() - 1;
    args_.dy = ViewOf<const T>(args.in[last], request_.inputs[last]);
    op_.Backward(args_);
    return OkStatus();
  }

 private:
  F op_;
  KernelRequest request_;
  CustomBackward<T> args_;
};

template <template <class, class> class K, class F>
StatusOr<std::unique_ptr<Kernel>> MakeCustomKernel(
    const F& op, const KernelRequest& request) {
  if (request.inputs[0].dtype == DType::kF64) {
    return std::make_unique<K<double, F>>(op, request);
  }
  return std::make_unique<K<float, F>>(op, request);
}

template <CustomOp F>
class CustomBackwardOp final : public Op {
 public:
  CustomBackwardOp(F op, std::size_t inputs)
      : op_(std::move(op)), name_(Cat(F::kName, "_grad")), inputs_(inputs) {}

  std::string_view name() const override { return name_; }
  std::string attributes() const override { return op_.Describe(); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override {
    return std::vector<TensorSpec>(inputs.begin(), inputs.begin() + inputs_);
  }
  // The gradient of a custom gradient is unknown; see Vjp of CustomForwardOp.
  std::vector<Var> Vjp(const VjpArgs& args) const override {
    args.inputs[0].tape()->NoteError(
        {},
        name_,
        ConfigError("a custom operation has no second derivative; write it "
                    "as a traced or pointwise functor"));
    return std::vector<Var>(args.inputs.size());
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override {
    return MakeCustomKernel<CustomBackwardKernel>(op_, request);
  }

 private:
  F op_;
  std::string name_;
  std::size_t inputs_;
};

template <CustomOp F>
class CustomForwardOp final : public Op {
 public:
  explicit CustomForwardOp(F op) : op_(std::move(op)) {}

  std::string_view name() const override { return F::kName; }
  std::string attributes() const override { return op_.Describe(); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override {
    const DType dtype = inputs[0].dtype;
    for (const TensorSpec& input : inputs) {
      if (input.dtype != dtype ||
          (dtype != DType::kF32 && dtype != DType::kF64)) {
        return ConfigError("expected inputs that are all f32 or all f64, got ",
                           dtype,
                           " and ",
                           input.dtype);
      }
    }
    const std::vector<Shape> shapes = ShapesOf(inputs);
    GYRE_ASSIGN_OR_RETURN(Shape y, op_.InferShape(shapes));
    std::vector<TensorSpec> outputs = OneOutput(std::move(y), dtype);
    for (Shape& saved : op_.Saved(shapes)) {
      outputs.push_back({std::move(saved), dtype, 0});
    }
    return outputs;
  }
  std::vector<Var> Vjp(const VjpArgs& args) const override {
    std::vector<Var> inputs(args.inputs.begin(), args.inputs.end());
    inputs.insert(inputs.end(), args.outputs.begin() + 1, args.outputs.end());
    inputs.push_back(args.grads[0]);
    return inputs[0].tape()->Record(
        std::make_shared<CustomBackwardOp<F>>(op_, args.inputs.size()),
        inputs,
        {});
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override {
    return MakeCustomKernel<CustomForwardKernel>(op_, request);
  }

 private:
  F op_;
};

}  // namespace internal

// Applies a custom operation.
template <CustomOp F>
Var custom(F op,
           std::span<const Var> inputs,
           const char* file = __builtin_FILE(),
           int line = __builtin_LINE()) {
  GYRE_CHECK(!inputs.empty(), F::kName, " of no inputs");
  // Record looks at the others.
  const Traced first(inputs[0], file, line);
  if (!first.var().valid()) return first.var();
  return inputs[0].tape()->RecordOne(
      std::make_shared<internal::CustomForwardOp<F>>(std::move(op)),
      inputs,
      {file, line});
}
template <CustomOp F>
Var custom(F op,
           Var input,
           const char* file = __builtin_FILE(),
           int line = __builtin_LINE()) {
  return custom(std::move(op), std::span<const Var>(&input, 1), file, line);
}

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_CUSTOM_OP_H_
