#include <algorithm>
#include <cstring>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/reference_planes.h"

namespace gyre::internal::inline autodiff {
namespace {

// Where element i of the padded axis comes from, or -1 for a zero.
std::int64_t SourceOf(std::int64_t i,
                      const AxisPadding& padding,
                      std::int64_t extent) {
  const std::int64_t at = i - padding.before;
  if (at >= 0 && at < extent) return at;
  switch (padding.mode) {
    case PadMode::kZero:
      return -1;
    case PadMode::kCircular:
      return (at % extent + extent) % extent;
    case PadMode::kReflect:
      return at < 0 ? -at : 2 * (extent - 1) - at;
    case PadMode::kReplicate:
      break;
  }
  return at < 0 ? 0 : extent - 1;
}

struct PadSizes {
  std::int64_t h, w, out_h, out_w, planes;
  AxisPadding lat, lon;

  PadSizes(const Shape& inner,
           const Shape& padded,
           const AxisPadding& lat_padding,
           const AxisPadding& lon_padding)
      : h(inner[inner.rank() - 2]),
        w(inner[inner.rank() - 1]),
        out_h(padded[padded.rank() - 2]),
        out_w(padded[padded.rank() - 1]),
        planes(out_h * out_w == 0 ? 0 : padded.elements() / (out_h * out_w)),
        lat(lat_padding),
        lon(lon_padding) {}

  // f(inner element or -1, padded element), for every padded element.
  template <class F>
  void ForEach(const F& f) const {
    std::int64_t to = 0;
    for (std::int64_t n = 0; n < planes; ++n) {
      for (std::int64_t i = 0; i < out_h; ++i) {
        for (std::int64_t j = 0; j < out_w; ++j, ++to) {
          const std::int64_t row = SourceOf(i, lat, h);
          const std::int64_t column = SourceOf(j, lon, w);
          const bool zero = row < 0 || column < 0;
          f(zero ? -1 : (n * h + row) * w + column, to);
        }
      }
    }
  }
};

class ReferencePad final : public Kernel {
 public:
  ReferencePad(const PadSizes& sizes, std::size_t element_bytes)
      : s_(sizes), bytes_(element_bytes) {}

  Status Run(const KernelArgs& args) override {
    const auto* x = args.input<std::byte>(0);
    auto* y = args.output<std::byte>(0);
    s_.ForEach([&](std::int64_t from, std::int64_t to) {
      if (from < 0) {
        std::memset(y + to * bytes_, 0, bytes_);
      } else {
        std::memcpy(y + to * bytes_, x + from * bytes_, bytes_);
      }
    });
    return OkStatus();
  }

 private:
  PadSizes s_;
  std::size_t bytes_;
};

template <class T>
class ReferencePadFold final : public Kernel {
 public:
  explicit ReferencePadFold(const PadSizes& sizes)
      : s_(sizes), count_(s_.planes * s_.h * s_.w) {}

  std::size_t scratch_bytes() const override { return count_ * sizeof(double); }

  Status Run(const KernelArgs& args) override {
    auto* sums = reinterpret_cast<double*>(args.scratch);
    std::fill_n(sums, count_, 0.0);
    s_.ForEach([&](std::int64_t to, std::int64_t from) {
      if (to >= 0) sums[to] += static_cast<double>(args.input<T>(0)[from]);
    });
    std::transform(sums, sums + count_, args.output<T>(0), [](double sum) {
      return static_cast<T>(sum);
    });
    return OkStatus();
  }

 private:
  PadSizes s_;
  std::int64_t count_;
};

}  // namespace

std::unique_ptr<Kernel> MakeReferencePad(const KernelRequest& request,
                                         const AxisPadding& lat,
                                         const AxisPadding& lon) {
  return std::make_unique<ReferencePad>(
      PadSizes(request.inputs[0].shape, request.outputs[0].shape, lat, lon),
      SizeOf(request.outputs[0].dtype));
}

std::unique_ptr<Kernel> MakeReferencePadFold(const KernelRequest& request,
                                             const AxisPadding& lat,
                                             const AxisPadding& lon) {
  const PadSizes sizes(
      request.outputs[0].shape, request.inputs[0].shape, lat, lon);
  if (request.outputs[0].dtype == DType::kF64) {
    return std::make_unique<ReferencePadFold<double>>(sizes);
  }
  return std::make_unique<ReferencePadFold<float>>(sizes);
}

}  // namespace gyre::internal::inline autodiff
