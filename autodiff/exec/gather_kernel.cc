#include "gyre/autodiff/exec/gather_kernel.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "gyre/autodiff/exec/axis_span.h"
#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {
namespace {

template <class Index>
bool InRange(Index index, std::int64_t extent) {
  return index >= 0 && static_cast<std::int64_t>(index) < extent;
}

// What a slice of `count` elements holds where its index is out of range.
std::vector<std::byte> FillOf(DType dtype, std::int64_t count, bool zero) {
  std::vector<std::byte> fill(count * SizeOf(dtype), std::byte{0});
  if (zero) return fill;
  const auto put = [&fill, count](auto value) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(fill.data() + i * sizeof value, &value, sizeof value);
    }
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (dtype == DType::kF32) put(kNan);
  if (dtype == DType::kF64) put(std::numeric_limits<double>::quiet_NaN());
  if (dtype == DType::kBF16) put(BFloat16(kNan));
  if (dtype == DType::kF16) put(Half(kNan));
  return fill;
}

template <class Index>
class GatherKernel final : public Kernel {
 public:
  GatherKernel(const KernelRequest& request, int axis, bool zero_fill)
      : span_(request.inputs[0].shape, axis),
        count_(request.inputs[1].shape.elements()),
        slice_bytes_(span_.inner * SizeOf(request.inputs[0].dtype)),
        fill_(FillOf(request.inputs[0].dtype, span_.inner, zero_fill)) {}

  Status Run(const KernelArgs& args) override {
    switch (slice_bytes_) {
      case 0:
        break;
      case 4:  // a size known to the compiler: a move instead of a call
        Gather(args, std::integral_constant<std::int64_t, 4>());
        break;
      case 8:
        Gather(args, std::integral_constant<std::int64_t, 8>());
        break;
      default:
        Gather(args, slice_bytes_);
    }
    return OkStatus();
  }

 private:
  template <class Bytes>
  void Gather(const KernelArgs& args, Bytes slice) const {
    const std::int64_t bytes = slice;
    const std::byte* in = args.input<std::byte>(0);
    const Index* indices = args.input<Index>(1);
    std::byte* out = args.output<std::byte>(0);
    for (std::int64_t o = 0; o < span_.outer; ++o) {
      for (std::int64_t i = 0; i < count_; ++i) {
        const Index index = indices[i];
        const std::byte* from =
            InRange(index, span_.extent) ? in + index * bytes : fill_.data();
        std::memcpy(out, from, bytes);
        out += bytes;
      }
      in += span_.extent * bytes;
    }
  }

  AxisSpan span_;
  std::int64_t count_;
  std::int64_t slice_bytes_;
  std::vector<std::byte> fill_;
};

template <class T, class Index>
class ScatterKernel final : public Kernel {
 public:
  ScatterKernel(const KernelRequest& request, int axis)
      : span_(request.outputs[0].shape, axis),
        count_(request.inputs[1].shape.elements()) {}

  Status Run(const KernelArgs& args) override {
    const T* in = args.input<T>(0);
    const Index* indices = args.input<Index>(1);
    T* out = args.output<T>(0);
    std::fill_n(out, span_.outer * span_.extent * span_.inner, T{0});
    for (std::int64_t o = 0; o < span_.outer; ++o) {
      for (std::int64_t i = 0; i < count_; ++i) {
        const Index index = indices[i];
        if (!InRange(index, span_.extent)) continue;
        const T* from = in + (o * count_ + i) * span_.inner;
        T* to = out + (o * span_.extent + index) * span_.inner;
        for (std::int64_t k = 0; k < span_.inner; ++k) to[k] += from[k];
      }
    }
    return OkStatus();
  }

 private:
  AxisSpan span_;
  std::int64_t count_;
};

template <class T, class Index>
class OneHotKernel final : public Kernel {
 public:
  explicit OneHotKernel(const KernelRequest& request)
      : count_(request.inputs[0].shape.elements()),
        depth_(request.outputs[0].shape[request.outputs[0].shape.rank() - 1]) {}

  Status Run(const KernelArgs& args) override {
    const Index* indices = args.input<Index>(0);
    T* out = args.output<T>(0);
    std::fill_n(out, count_ * depth_, T{0});
    for (std::int64_t i = 0; i < count_; ++i) {
      const Index index = indices[i];
      if (InRange(index, depth_)) out[i * depth_ + index] = T{1};
    }
    return OkStatus();
  }

 private:
  std::int64_t count_;
  std::int64_t depth_;
};

// Calls make with a zero of the index type.
template <class F>
std::unique_ptr<Kernel> WithIndex(DType dtype, F make) {
  return dtype == DType::kI64 ? make(std::int64_t{0}) : make(std::int32_t{0});
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeGatherKernel(const KernelRequest& request,
                                                   int axis,
                                                   bool zero_fill) {
  return WithIndex(request.inputs[1].dtype,
                   [&](auto zero) -> std::unique_ptr<Kernel> {
                     return std::make_unique<GatherKernel<decltype(zero)>>(
                         request, axis, zero_fill);
                   });
}

StatusOr<std::unique_ptr<Kernel>> MakeScatterKernel(
    const KernelRequest& request, int axis) {
  return WithIndex(
      request.inputs[1].dtype, [&](auto zero) -> std::unique_ptr<Kernel> {
        using Index = decltype(zero);
        if (request.outputs[0].dtype == DType::kF64) {
          return std::make_unique<ScatterKernel<double, Index>>(request, axis);
        }
        return std::make_unique<ScatterKernel<float, Index>>(request, axis);
      });
}

StatusOr<std::unique_ptr<Kernel>> MakeOneHotKernel(
    const KernelRequest& request) {
  return WithIndex(
      request.inputs[0].dtype, [&](auto zero) -> std::unique_ptr<Kernel> {
        using Index = decltype(zero);
        if (request.outputs[0].dtype == DType::kF64) {
          return std::make_unique<OneHotKernel<double, Index>>(request);
        }
        return std::make_unique<OneHotKernel<float, Index>>(request);
      });
}

}  // namespace gyre::internal::inline autodiff
