// Kernels of a pointwise functor: values, and derivatives by dual numbers.

#ifndef GYRE_AUTODIFF_EXEC_POINTWISE_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_POINTWISE_KERNEL_H_

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/core/dual.h"
#include "gyre/core/simd.h"

namespace gyre::internal::inline autodiff {

// N operands of one run, each dense or one number for all elements. A loop
// holds it in a local variable, so that no store of the loop can change it.
template <class T, int N>
struct BoundOperands {
  std::array<const T*, N> data;
  // Of a position: all bits, or none where the operand stays at one vector.
  std::array<std::int64_t, N> mask;

  Batch<T> At(int i, std::int64_t at) const {
    return Load(data[i] + (at & mask[i]));
  }
  // The last `rest` elements; the lanes behind them are ones, which keep
  // functions inside their domain and are thrown away.
  Batch<T> Tail(int i, std::int64_t at, std::size_t rest) const {
    return mask[i] != 0 ? LoadPartial(data[i] + at, rest, T(1)) : At(i, at);
  }
  // The operands from element `begin` on.
  BoundOperands From(std::int64_t begin) const {
    BoundOperands rest = *this;
    for (int i = 0; i < N; ++i) rest.data[i] += begin & mask[i];
    return rest;
  }
};

// Vectors of the operands that are one number, for one run.
template <class T, int N>
using UniformVectors = std::array<Batch<T>, N>;

template <class T, int N>
class Operands {
 public:
  explicit Operands(const KernelRequest& request) {
    for (int i = 0; i < N; ++i) {
      dense_[i] = request.inputs[i].shape.elements() != 1;
    }
  }
  BoundOperands<T, N> Bind(const KernelArgs& args,
                           UniformVectors<T, N>& uniform) const {
    BoundOperands<T, N> bound;
    for (int i = 0; i < N; ++i) {
      bound.data[i] = args.input<T>(i);
      bound.mask[i] = dense_[i] ? -1 : 0;
      if (dense_[i]) continue;
      uniform[i] = Batch<T>(*bound.data[i]);
      bound.data[i] = reinterpret_cast<const T*>(&uniform[i]);
    }
    return bound;
  }

 private:
  std::array<bool, N> dense_;
};

// Dual numbers of the N inputs, K of them variables.
template <class T, int N, int K>
class Seeds {
 public:
  using D = Dual<Batch<T>, K>;
  explicit Seeds(const std::array<bool, N>& wanted) {
    int next = 0;
    for (int i = 0; i < N; ++i) {
      grads_[i].fill(Batch<T>(T(0)));
      if (wanted[i]) grads_[i][next++] = Batch<T>(T(1));
    }
  }
  D operator()(int i, const Batch<T>& x) const { return D(x, grads_[i]); }

 private:
  std::array<std::array<Batch<T>, K>, N> grads_;
};

// Where the K derivatives go; null for those that nobody reads.
template <class T, int K>
std::array<T*, K> GradOutputs(const KernelArgs& args, int first) {
  std::array<T*, K> out;
  for (int k = 0; k < K; ++k) out[k] = args.output<T>(first + k);
  return out;
}

// Calls visit(position, count) for whole batches, then for the tail.
template <class T, class Visit>
void ForEachBatch(std::int64_t count, const Visit& visit) {
  constexpr std::int64_t kStep = kLanes<T>;
  std::int64_t at = 0;
  for (; at + kStep <= count; at += kStep) visit(at, kStep);
  if (at < count) visit(at, count - at);
}

template <class T, class F, int N>
class PointwiseKernel final : public Kernel {
 public:
  PointwiseKernel(F functor, const KernelRequest& request)
      : functor_(std::move(functor)),
        count_(request.outputs[0].shape.elements()),
        operands_(request) {}

  Status Run(const KernelArgs& args) override {
    T* out = args.output<T>(0);
    UniformVectors<T, N> uniform;
    const BoundOperands<T, N> x = operands_.Bind(args, uniform);
    ForEachBatch<T>(count_, [&](std::int64_t at, std::int64_t n) {
      if (n == static_cast<std::int64_t>(kLanes<T>)) {
        Store(out + at,
              Call([&](int i) { return x.At(i, at); },
                   std::make_index_sequence<N>()));
      } else {
        StorePartial(out + at,
                     n,
                     Call([&](int i) { return x.Tail(i, at, n); },
                          std::make_index_sequence<N>()));
      }
    });
    return OkStatus();
  }

 private:
  template <class Get, std::size_t... I>
  Batch<T> Call(const Get& get, std::index_sequence<I...>) const {
    return functor_(get(I)...);
  }

  F functor_;
  std::int64_t count_;
  Operands<T, N> operands_;
};

// Derivatives by K of the N inputs, times the gradient that comes in.
template <class T, class F, int N, int K>
class PointwiseGradKernel final : public Kernel {
 public:
  PointwiseGradKernel(F functor,
                      const std::array<bool, N>& wanted,
                      const KernelRequest& request)
      : functor_(std::move(functor)),
        count_(request.outputs[0].shape.elements()),
        operands_(request),
        wanted_(wanted) {}

  Status Run(const KernelArgs& args) override {
    UniformVectors<T, N + 1> uniform;
    const BoundOperands<T, N + 1> x = operands_.Bind(args, uniform);
    const Seeds<T, N, K> seeds(wanted_);
    const std::array<T*, K> out = GradOutputs<T, K>(args, 0);
    const auto all = std::make_index_sequence<N>();
    ForEachBatch<T>(count_, [&](std::int64_t at, std::int64_t n) {
      if (n == static_cast<std::int64_t>(kLanes<T>)) {
        const D y = Call([&](int i) { return seeds(i, x.At(i, at)); }, all);
        const Batch<T> dy = x.At(N, at);
        for (int k = 0; k < K; ++k) {
          if (out[k] != nullptr) Store(out[k] + at, dy * y.grad[k]);
        }
      } else {
        const D y =
            Call([&](int i) { return seeds(i, x.Tail(i, at, n)); }, all);
        const Batch<T> dy = x.Tail(N, at, n);
        for (int k = 0; k < K; ++k) {
          if (out[k] != nullptr) StorePartial(out[k] + at, n, dy * y.grad[k]);
        }
      }
    });
    return OkStatus();
  }

 private:
  using D = Dual<Batch<T>, K>;

  template <class Get, std::size_t... I>
  D Call(const Get& get, std::index_sequence<I...>) const {
    return functor_(get(I)...);
  }

  F functor_;
  std::int64_t count_;
  Operands<T, N + 1> operands_;
  std::array<bool, N> wanted_;
};

template <class F, int N>
StatusOr<std::unique_ptr<Kernel>> MakePointwiseKernel(
    const F& functor, const KernelRequest& request) {
  if (request.outputs[0].dtype == DType::kF64) {
    return std::make_unique<PointwiseKernel<double, F, N>>(functor, request);
  }
  return std::make_unique<PointwiseKernel<float, F, N>>(functor, request);
}

// The kernel of the number of derivatives that are wanted.
template <template <class, class, int, int> class Kind,
          class T,
          class F,
          int N,
          int K>
std::unique_ptr<Kernel> MakeKindOf(const F& functor,
                                   const std::array<bool, N>& wanted,
                                   const KernelRequest& request,
                                   int k) {
  if constexpr (K < N) {
    if (k > K) {
      return MakeKindOf<Kind, T, F, N, K + 1>(functor, wanted, request, k);
    }
  }
  return std::make_unique<Kind<T, F, N, K>>(functor, wanted, request);
}

template <template <class, class, int, int> class Kind, class F, int N>
StatusOr<std::unique_ptr<Kernel>> MakeDualKernel(
    const F& functor,
    const std::array<bool, N>& wanted,
    const KernelRequest& request) {
  const int k =
      static_cast<int>(std::count(wanted.begin(), wanted.end(), true));
  if (request.outputs[0].dtype == DType::kF64) {
    return MakeKindOf<Kind, double, F, N, 1>(functor, wanted, request, k);
  }
  return MakeKindOf<Kind, float, F, N, 1>(functor, wanted, request, k);
}

template <class F, int N>
StatusOr<std::unique_ptr<Kernel>> MakePointwiseGradKernel(
    const F& functor,
    const std::array<bool, N>& wanted,
    const KernelRequest& request) {
  return MakeDualKernel<PointwiseGradKernel, F, N>(functor, wanted, request);
}

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_POINTWISE_KERNEL_H_
