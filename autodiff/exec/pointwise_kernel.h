// Kernels of a pointwise functor: values, and derivatives by dual numbers.

#ifndef GYRE_AUTODIFF_EXEC_POINTWISE_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_POINTWISE_KERNEL_H_

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "autodiff/exec/kernel.h"
#include "core/dual.h"
#include "core/simd.h"

namespace gyre::internal {

// N operands, each dense or one number for all elements.
template <class T, int N>
class Operands {
 public:
  Operands(const KernelRequest& request, std::int64_t count) {
    for (int i = 0; i < N; ++i) {
      dense_[i] = request.inputs[i].shape.elements() != 1 || count == 1;
    }
  }

  Batch<T> At(const KernelArgs& args, int i, std::int64_t at) const {
    const T* data = args.input<T>(i);
    return dense_[i] ? Load(data + at) : Batch<T>(data[0]);
  }
  // The last `rest` elements; the lanes behind them are ones, which keep
  // functions inside their domain and are thrown away.
  Batch<T> Tail(const KernelArgs& args, int i, std::int64_t at,
                std::size_t rest) const {
    const T* data = args.input<T>(i);
    return dense_[i] ? LoadPartial(data + at, rest, T(1)) : Batch<T>(data[0]);
  }

 private:
  std::array<bool, N> dense_;
};

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
        operands_(request, count_) {}

  Status Run(const KernelArgs& args) override {
    T* out = args.output<T>(0);
    ForEachBatch<T>(count_, [&](std::int64_t at, std::int64_t n) {
      if (n == static_cast<std::int64_t>(kLanes<T>)) {
        Store(out + at, Call([&](int i) { return operands_.At(args, i, at); },
                             std::make_index_sequence<N>()));
      } else {
        StorePartial(
            out + at, n,
            Call([&](int i) { return operands_.Tail(args, i, at, n); },
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
  PointwiseGradKernel(F functor, const std::array<bool, N>& wanted,
                      const KernelRequest& request)
      : functor_(std::move(functor)),
        count_(request.outputs[0].shape.elements()),
        operands_(request, count_) {
    int next = 0;
    for (int i = 0; i < N; ++i) variable_[i] = wanted[i] ? next++ : -1;
  }

  Status Run(const KernelArgs& args) override {
    ForEachBatch<T>(count_, [&](std::int64_t at, std::int64_t n) {
      if (n == static_cast<std::int64_t>(kLanes<T>)) {
        const D y = Call([&](int i) { return operands_.At(args, i, at); },
                         std::make_index_sequence<N>());
        const Batch<T> dy = operands_.At(args, N, at);
        for (int k = 0; k < K; ++k) {
          if (args.out[k] == nullptr) continue;
          Store(args.output<T>(k) + at, dy * y.grad[k]);
        }
      } else {
        const D y = Call([&](int i) { return operands_.Tail(args, i, at, n); },
                         std::make_index_sequence<N>());
        const Batch<T> dy = operands_.Tail(args, N, at, n);
        for (int k = 0; k < K; ++k) {
          if (args.out[k] == nullptr) continue;
          StorePartial(args.output<T>(k) + at, n, dy * y.grad[k]);
        }
      }
    });
    return OkStatus();
  }

 private:
  using D = Dual<Batch<T>, K>;

  D Seed(const Batch<T>& x, int i) const {
    return variable_[i] >= 0 ? D::Variable(x, variable_[i]) : D(x);
  }
  template <class Get, std::size_t... I>
  D Call(const Get& get, std::index_sequence<I...>) const {
    return functor_(Seed(get(I), I)...);
  }

  F functor_;
  std::int64_t count_;
  Operands<T, N + 1> operands_;
  std::array<int, N> variable_;
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
template <template <class, class, int, int> class Kind, class T, class F,
          int N, int K>
std::unique_ptr<Kernel> MakeKindOf(const F& functor,
                                   const std::array<bool, N>& wanted,
                                   const KernelRequest& request, int k) {
  if constexpr (K < N) {
    if (k > K) {
      return MakeKindOf<Kind, T, F, N, K + 1>(functor, wanted, request, k);
    }
  }
  return std::make_unique<Kind<T, F, N, K>>(functor, wanted, request);
}

template <template <class, class, int, int> class Kind, class F, int N>
StatusOr<std::unique_ptr<Kernel>> MakeDualKernel(
    const F& functor, const std::array<bool, N>& wanted,
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
    const F& functor, const std::array<bool, N>& wanted,
    const KernelRequest& request) {
  return MakeDualKernel<PointwiseGradKernel, F, N>(functor, wanted, request);
}

}  // namespace gyre::internal

#endif  // GYRE_AUTODIFF_EXEC_POINTWISE_KERNEL_H_
