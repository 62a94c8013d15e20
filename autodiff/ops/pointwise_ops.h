// The operations of a pointwise functor whose kernels are compiled in the
// source that records it. For ops/pointwise.h, where there is SIMD.

#ifndef GYRE_AUTODIFF_OPS_POINTWISE_OPS_H_
#define GYRE_AUTODIFF_OPS_POINTWISE_OPS_H_

#include <array>
#include <memory>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/pointwise_kernel.h"
#include "gyre/autodiff/exec/pointwise_sum_kernel.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/ops/pointwise_forms.h"
#include "gyre/autodiff/ops/pointwise_operands.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/hash.h"

namespace gyre::internal::inline autodiff {

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
    return gyre::internal::Vjp(
        gyre::internal::Vjp(outputs, seeds, first), args.grads, args.inputs);
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

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_POINTWISE_OPS_H_
