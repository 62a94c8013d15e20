// A loss, or any elementwise function, as a C++ functor.
//
//   struct Huber {
//     float delta = 1.0f;
//     template <class T>
//     T operator()(const T& pred, const T& target) const {
//       const T e = pred - target;
//       const T a = math::abs(e);
//       return math::select(a <= delta, 0.5f * e * e,
//                           delta * (a - 0.5f * delta));
//     }
//   };
//   Var loss = mean(pointwise(Huber{0.5f}, pred, target));
//
// No gradient is written: the functor is compiled for SIMD batches of numbers
// and of dual numbers (core/dual.h), so that one pass over memory gives the
// derivatives by every input that needs one. Inputs broadcast.
//
// WARNING 1: use the functions of namespace math; `if` on a T does not
// compile for SIMD, math::select does.
// WARNING 2: both branches of a select are computed: a log of a negative
// number is NaN even where it is not chosen, and so is its derivative times
// zero. Guard the argument: math::log(math::select(x > 0, x, 1.0f)).
// WARNING 3: the functor is copied, and told from another of its type by its
// bytes: plain members without padding between them.

#ifndef GYRE_AUTODIFF_OPS_POINTWISE_H_
#define GYRE_AUTODIFF_OPS_POINTWISE_H_

#include <array>
#include <memory>
#include <typeinfo>
#include <utility>

#include "gyre/autodiff/exec/pointwise_kernel.h"
#include "gyre/autodiff/exec/pointwise_sum_kernel.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/math_vars.h"
#include "gyre/autodiff/ops/pointwise_forms.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/hash.h"

namespace gyre {
namespace internal {

// Type and value of a functor, as text.
template <class F>
std::string FunctorText(const F& functor) {
  std::string text = typeid(F).name();
  if constexpr (!std::is_empty_v<F>) {
    static_assert(std::is_trivially_copyable_v<F>,
                  "a pointwise functor holds plain numbers only");
    text += Cat(" #", HexHash(Hash64(&functor, sizeof functor)));
  }
  return text;
}

// The inputs have the output's shape, or one element.
inline StatusOr<std::vector<TensorSpec>> InferPointwise(
    std::span<const TensorSpec> inputs) {
  Shape shape;
  for (const TensorSpec& input : inputs) {
    if (input.dtype != inputs[0].dtype ||
        (input.dtype != DType::kF32 && input.dtype != DType::kF64)) {
      return ConfigError("expected inputs that are all f32 or all f64, got ",
                         inputs[0].dtype,
                         " and ",
                         input.dtype,
                         "; use cast()");
    }
    GYRE_ASSIGN_OR_RETURN(shape, BroadcastShapes(shape, input.shape));
  }
  return OneOutput(std::move(shape), inputs[0].dtype);
}

// "0 2": the inputs with a derivative.
template <int N>
std::string WantedText(const std::array<bool, N>& wanted) {
  std::string text;
  for (int i = 0; i < N; ++i) text += wanted[i] ? Cat(" ", i) : "";
  return text;
}

// The sum of f over all elements; made by a plan alone.
template <class F, int N>
class PointwiseSumOp final : public PlanOp {
 public:
  explicit PointwiseSumOp(F functor) : functor_(std::move(functor)) {}

  std::string_view name() const override { return "pointwise_sum"; }
  std::string attributes() const override { return FunctorText(functor_); }
  bool takes_scalars() const override { return true; }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override {
    return MakePointwiseSumKernel<F, N>(functor_, request);
  }

 private:
  F functor_;
};

// That sum, and dy * df/dx_i, in one pass. Inputs (x_0 .. x_N-1, dy).
template <class F, int N>
class PointwiseSumGradOp final : public PlanOp {
 public:
  PointwiseSumGradOp(F functor, std::array<bool, N> wanted)
      : functor_(std::move(functor)), wanted_(wanted) {}

  std::string_view name() const override { return "pointwise_sum_grad"; }
  std::string attributes() const override {
    return Cat(FunctorText(functor_), " by", WantedText<N>(wanted_));
  }
  bool takes_scalars() const override { return true; }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override {
    return MakePointwiseSumGradKernel<F, N>(functor_, wanted_, request);
  }

 private:
  F functor_;
  std::array<bool, N> wanted_;
};

// dx_i = dy * df/dx_i for the chosen inputs i; inputs (x_0 .. x_N-1, dy).
template <class F, int N>
class PointwiseGradOp final : public SumsWithGrad {
 public:
  PointwiseGradOp(F functor, std::array<bool, N> wanted)
      : functor_(std::move(functor)), wanted_(wanted) {}

  std::string_view name() const override { return "pointwise_grad"; }
  std::string attributes() const override {
    return Cat(FunctorText(functor_), " by", WantedText<N>(wanted_));
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override {
    GYRE_ASSIGN_OR_RETURN(const auto out, InferPointwise(inputs));
    std::vector<TensorSpec> outputs;
    for (const bool wanted : wanted_) {
      if (wanted) outputs.push_back(out[0]);
    }
    return outputs;
  }
  std::vector<Var> Vjp(const VjpArgs& args) const override {
    // Second derivatives come from the functor traced as operations.
    std::vector<Var> x(args.inputs.begin(), args.inputs.end() - 1);
    const Var dy = args.inputs.back();
    const Var y = TraceFunctor(functor_, x, std::make_index_sequence<N>());
    const Var outputs[] = {y};
    const Var seeds[] = {broadcast_to(dy, y.shape())};
    std::vector<Var> first;
    for (int i = 0; i < N; ++i) {
      if (wanted_[i]) first.push_back(x[i]);
    }
    return gyre::Vjp(gyre::Vjp(outputs, seeds, first), args.grads, args.inputs);
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override {
    return MakePointwiseGradKernel<F, N>(functor_, wanted_, request);
  }
  bool takes_scalars() const override { return true; }
  std::shared_ptr<const Op> WithSum() const override {
    return std::make_shared<PointwiseSumGradOp<F, N>>(functor_, wanted_);
  }
  std::string functor_text() const override { return FunctorText(functor_); }

 private:
  template <std::size_t... I>
  static Var TraceFunctor(const F& functor,
                          const std::vector<Var>& x,
                          std::index_sequence<I...>) {
    return functor(x[I]...);
  }

  F functor_;
  std::array<bool, N> wanted_;
};

template <class F, int N>
class PointwiseOp final : public Sums {
 public:
  explicit PointwiseOp(F functor) : functor_(std::move(functor)) {}

  std::string_view name() const override { return "pointwise"; }
  std::string attributes() const override { return FunctorText(functor_); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override {
    return InferPointwise(inputs);
  }
  std::vector<Var> Vjp(const VjpArgs& args) const override {
    std::array<bool, N> wanted;
    for (int i = 0; i < N; ++i) wanted[i] = args.needed[i] != 0;
    std::vector<Var> inputs(args.inputs.begin(), args.inputs.end());
    inputs.push_back(args.grads[0]);
    const std::vector<Var> outputs = inputs[0].tape()->Record(
        std::make_shared<PointwiseGradOp<F, N>>(functor_, wanted), inputs, {});
    std::vector<Var> grads(N);
    std::size_t next = 0;
    for (int i = 0; i < N && next < outputs.size(); ++i) {
      if (wanted[i]) {
        grads[i] = sum_to(outputs[next++], args.inputs[i].shape());
      }
    }
    return grads;
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override {
    return MakePointwiseKernel<F, N>(functor_, request);
  }
  bool takes_scalars() const override { return true; }
  std::shared_ptr<const Op> Summed() const override {
    return std::make_shared<PointwiseSumOp<F, N>>(functor_);
  }

 private:
  F functor_;
};

// Numbers become scalars of the tape; what is not a scalar is written out in
// the common shape first.
template <class F, int N>
Var RecordPointwise(F functor, std::initializer_list<Traced> inputs) {
  if (const auto bad = Unusable("pointwise", inputs)) return *bad;
  const SourceLoc& loc = inputs.begin()->loc();
  Tape* tape = nullptr;
  DType dtype = DType::kF32;
  Shape shape;
  for (const Traced& input : inputs) {
    if (input.is_number()) continue;
    tape = input.var().tape();
    dtype = input.var().dtype();
    const auto both = BroadcastShapes(shape, input.var().shape());
    if (!both.ok()) {
      tape->NoteError(loc, "pointwise", both.status());
      return Var(tape, -1);
    }
    shape = *both;
    for (const Traced* other = inputs.begin(); other != &input; ++other) {
      if (other->is_number() || other->var().tape() != tape) continue;
      if (!MayBroadcast("pointwise", other->var(), input.var(), loc)) {
        return Var(tape, -1);
      }
    }
  }
  GYRE_CHECK(tape != nullptr, "pointwise of numbers alone");
  std::vector<Var> vars;
  for (const Traced& input : inputs) {
    if (input.is_number()) {
      vars.push_back(tape->Scalar(input.number(), dtype));
    } else if (input.var().shape().elements() == 1) {
      vars.push_back(input.var());
    } else {
      vars.push_back(broadcast_to(input, shape));
    }
  }
  return tape->RecordOne(
      std::make_shared<PointwiseOp<F, N>>(std::move(functor)), vars, loc);
}

}  // namespace internal

// f of one to four inputs, element by element.
template <class F>
Var pointwise(F f, Traced a) {
  return internal::RecordPointwise<F, 1>(std::move(f), {a});
}
template <class F>
Var pointwise(F f, Traced a, Traced b) {
  return internal::RecordPointwise<F, 2>(std::move(f), {a, b});
}
template <class F>
Var pointwise(F f, Traced a, Traced b, Traced c) {
  return internal::RecordPointwise<F, 3>(std::move(f), {a, b, c});
}
template <class F>
Var pointwise(F f, Traced a, Traced b, Traced c, Traced d) {
  return internal::RecordPointwise<F, 4>(std::move(f), {a, b, c, d});
}

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_POINTWISE_H_
