// Kernels of a pointwise functor that is summed over all elements: the sum
// alone, or the sum and the derivatives in one pass over memory.
//
// The sum has the order, and so the bits, of a ReduceKernel's: tiles of
// kTileElements, each by lanes, added up in f64.

#ifndef GYRE_AUTODIFF_EXEC_POINTWISE_SUM_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_POINTWISE_SUM_KERNEL_H_

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/pointwise_kernel.h"
#include "gyre/autodiff/exec/reduce_loops.h"
#include "gyre/autodiff/exec/tile_schedule.h"

namespace gyre::internal::inline autodiff {

// The elements that the operands have in common.
inline std::int64_t CommonCount(const KernelRequest& request) {
  for (const KernelTensor& input : request.inputs) {
    if (input.shape.elements() != 1) return input.shape.elements();
  }
  return 1;
}

// Calls visit(begin, n, tile) for each tile; the visit fills the tile with the
// values of elements [begin, begin + n). Returns their sum.
template <class T, class Visit>
T SumOverTiles(std::int64_t count, const Visit& visit) {
  alignas(64) T tile[kTileElements];
  double sum = 0;
  for (std::int64_t begin = 0; begin < count; begin += kTileElements) {
    const std::int64_t n = std::min(kTileElements, count - begin);
    visit(begin, n, tile);
    AccumulateRun<SumOf, T>(
        reinterpret_cast<const std::byte*>(tile), n, 0, &sum);
  }
  return static_cast<T>(sum);
}

template <class T, class F, int N>
class PointwiseSumKernel final : public Kernel {
 public:
  PointwiseSumKernel(F functor, const KernelRequest& request)
      : functor_(std::move(functor)),
        count_(CommonCount(request)),
        operands_(request) {}

  Status Run(const KernelArgs& args) override {
    UniformVectors<T, N> uniform;
    const BoundOperands<T, N> bound = operands_.Bind(args, uniform);
    const auto all = std::make_index_sequence<N>();
    const auto fill = [&](std::int64_t begin, std::int64_t n, T* tile) {
      const BoundOperands<T, N> x = bound.From(begin);
      ForEachBatch<T>(n, [&](std::int64_t i, std::int64_t m) {
        if (m == static_cast<std::int64_t>(kLanes<T>)) {
          Store(tile + i, Call([&](int k) { return x.At(k, i); }, all));
        } else {
          Store(tile + i, Call([&](int k) { return x.Tail(k, i, m); }, all));
        }
      });
    };
    *args.output<T>(0) = SumOverTiles<T>(count_, fill);
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

// Outputs: the sum, then the derivatives by K of the N inputs, times the
// gradient that comes in as input N.
template <class T, class F, int N, int K>
class PointwiseSumGradKernel final : public Kernel {
 public:
  PointwiseSumGradKernel(F functor,
                         const std::array<bool, N>& wanted,
                         const KernelRequest& request)
      : functor_(std::move(functor)),
        count_(CommonCount(request)),
        operands_(request),
        wanted_(wanted) {}

  Status Run(const KernelArgs& args) override {
    UniformVectors<T, N + 1> uniform;
    const BoundOperands<T, N + 1> bound = operands_.Bind(args, uniform);
    const std::array<T*, K> outputs = GradOutputs<T, K>(args, 1);
    const auto all = std::make_index_sequence<N>();
    const auto fill = [&](std::int64_t begin, std::int64_t n, T* tile) {
      // Locals, which no store of the loop can change.
      const BoundOperands<T, N + 1> x = bound.From(begin);
      const Seeds<T, N, K> seeds(wanted_);
      std::array<T*, K> out = outputs;
      for (T*& to : out) to = to == nullptr ? nullptr : to + begin;
      ForEachBatch<T>(n, [&](std::int64_t i, std::int64_t m) {
        if (m == static_cast<std::int64_t>(kLanes<T>)) {
          const D y = Call([&](int k) { return seeds(k, x.At(k, i)); }, all);
          const Batch<T> dy = x.At(N, i);
          Store(tile + i, y.value);
          for (int k = 0; k < K; ++k) {
            if (out[k] != nullptr) Store(out[k] + i, dy * y.grad[k]);
          }
        } else {
          const D y =
              Call([&](int k) { return seeds(k, x.Tail(k, i, m)); }, all);
          const Batch<T> dy = x.Tail(N, i, m);
          Store(tile + i, y.value);
          for (int k = 0; k < K; ++k) {
            if (out[k] != nullptr) StorePartial(out[k] + i, m, dy * y.grad[k]);
          }
        }
      });
    };
    *args.output<T>(0) = SumOverTiles<T>(count_, fill);
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
StatusOr<std::unique_ptr<Kernel>> MakePointwiseSumKernel(
    const F& functor, const KernelRequest& request) {
  if (request.outputs[0].dtype == DType::kF64) {
    return std::make_unique<PointwiseSumKernel<double, F, N>>(functor, request);
  }
  return std::make_unique<PointwiseSumKernel<float, F, N>>(functor, request);
}

template <class F, int N>
StatusOr<std::unique_ptr<Kernel>> MakePointwiseSumGradKernel(
    const F& functor,
    const std::array<bool, N>& wanted,
    const KernelRequest& request) {
  return MakeDualKernel<PointwiseSumGradKernel, F, N>(functor, wanted, request);
}

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_POINTWISE_SUM_KERNEL_H_
