#include "gyre/autodiff/exec/resize_kernel.h"

#include <algorithm>
#include <cmath>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {
namespace {

struct ResizedPlanes {
  ResizedPlanes(const Shape& small, const Shape& large, ResizeMode mode)
      : h(small[small.rank() - 2]),
        w(small[small.rank() - 1]),
        count(h * w == 0 ? 0 : small.elements() / (h * w)),
        lat(ResizeTaps(mode, h, large[large.rank() - 2])),
        lon(ResizeTaps(mode, w, large[large.rank() - 1])) {}

  std::int64_t out_w() const { return static_cast<std::int64_t>(lon.size()); }

  std::int64_t h, w, count;  // of x
  std::vector<ResizeTap> lat, lon;
};

// Blends two rows into one, then two columns of it. A weight of 0 selects:
// it must not multiply what it does not use.
template <class T>
class ResizeKernel final : public Kernel {
 public:
  explicit ResizeKernel(ResizedPlanes planes) : p_(std::move(planes)) {}

  std::size_t scratch_bytes() const override { return p_.w * sizeof(T); }

  Status Run(const KernelArgs& args) override {
    auto* row = reinterpret_cast<T*>(args.scratch);
    const T* x = args.input<T>(0);
    T* y = args.output<T>(0);
    for (std::int64_t n = 0; n < p_.count; ++n, x += p_.h * p_.w) {
      for (const ResizeTap& tap : p_.lat) {
        Blend(x + tap.first * p_.w,
              x + tap.second * p_.w,
              static_cast<T>(tap.weight),
              row);
        for (const ResizeTap& column : p_.lon) {
          const T weight = static_cast<T>(column.weight);
          const T first = row[column.first];
          *y++ = weight == 0
                     ? first
                     : (1 - weight) * first + weight * row[column.second];
        }
      }
    }
    return OkStatus();
  }

 private:
  void Blend(const T* a, const T* b, T weight, T* row) const {
    if (weight == 0) {
      std::copy_n(a, p_.w, row);
      return;
    }
    for (std::int64_t i = 0; i < p_.w; ++i) {
      row[i] = (1 - weight) * a[i] + weight * b[i];
    }
  }

  ResizedPlanes p_;
};

template <class T>
class ResizeGradKernel final : public Kernel {
 public:
  explicit ResizeGradKernel(ResizedPlanes planes) : p_(std::move(planes)) {}

  std::size_t scratch_bytes() const override { return p_.w * sizeof(T); }

  Status Run(const KernelArgs& args) override {
    auto* row = reinterpret_cast<T*>(args.scratch);
    const T* dy = args.input<T>(0);
    T* dx = args.output<T>(0);
    std::fill_n(dx, p_.count * p_.h * p_.w, T{0});
    for (std::int64_t n = 0; n < p_.count; ++n, dx += p_.h * p_.w) {
      for (const ResizeTap& tap : p_.lat) {
        std::fill_n(row, p_.w, T{0});
        for (const ResizeTap& column : p_.lon) {
          Add(*dy++,
              static_cast<T>(column.weight),
              row[column.first],
              row[column.second]);
        }
        const T weight = static_cast<T>(tap.weight);
        T* first = dx + tap.first * p_.w;
        T* second = dx + tap.second * p_.w;
        for (std::int64_t i = 0; i < p_.w; ++i) {
          Add(row[i], weight, first[i], second[i]);
        }
      }
    }
    return OkStatus();
  }

 private:
  static void Add(T value, T weight, T& first, T& second) {
    if (weight == 0) {
      first += value;
      return;
    }
    first += (1 - weight) * value;
    second += weight * value;
  }

  ResizedPlanes p_;
};

}  // namespace

}  // namespace gyre::internal::inline autodiff

namespace gyre {

using namespace internal;

std::string_view Name(ResizeMode mode) {
  return mode == ResizeMode::kNearest ? "nearest" : "bilinear";
}

}  // namespace gyre

namespace gyre::internal::inline autodiff {

std::vector<ResizeTap> ResizeTaps(ResizeMode mode,
                                  std::int64_t from,
                                  std::int64_t to) {
  std::vector<ResizeTap> taps;
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  for (std::int64_t i = 0; i < to; ++i) {
    if (mode == ResizeMode::kNearest) {
      // floor((i + 1/2) * from / to), in integers.
      const std::int64_t at = std::min((2 * i + 1) * from / (2 * to), from - 1);
      taps.push_back({at, at, 0});
      continue;
    }
    const double at = std::clamp((static_cast<double>(i) + 0.5) * scale - 0.5,
                                 0.0,
                                 static_cast<double>(from - 1));
    const auto first = static_cast<std::int64_t>(std::floor(at));
    const double weight = at - static_cast<double>(first);
    taps.push_back({first, weight > 0 ? first + 1 : first, weight});
  }
  return taps;
}

std::unique_ptr<Kernel> MakeResizeKernel(const KernelRequest& request,
                                         ResizeMode mode) {
  ResizedPlanes planes(request.inputs[0].shape, request.outputs[0].shape, mode);
  if (request.outputs[0].dtype == DType::kF64) {
    return std::make_unique<ResizeKernel<double>>(std::move(planes));
  }
  return std::make_unique<ResizeKernel<float>>(std::move(planes));
}

std::unique_ptr<Kernel> MakeResizeGradKernel(const KernelRequest& request,
                                             ResizeMode mode) {
  ResizedPlanes planes(request.outputs[0].shape, request.inputs[0].shape, mode);
  if (request.outputs[0].dtype == DType::kF64) {
    return std::make_unique<ResizeGradKernel<double>>(std::move(planes));
  }
  return std::make_unique<ResizeGradKernel<float>>(std::move(planes));
}

}  // namespace gyre::internal::inline autodiff
