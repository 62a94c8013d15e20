#include "gyre/autodiff/exec/pad_kernel.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {
namespace {

// The planes of a tensor before and after padding.
struct PaddedPlanes {
  PaddedPlanes(const Shape& inner,
               const AxisPadding& lat_padding,
               const AxisPadding& lon_padding)
      : h(inner[inner.rank() - 2]),
        w(inner[inner.rank() - 1]),
        count(h * w == 0 ? 0 : inner.elements() / (h * w)),
        lat(PadMap(lat_padding, h)),
        lon(PadMap(lon_padding, w)),
        left(lon_padding.before) {}

  std::int64_t out_w() const { return static_cast<std::int64_t>(lon.size()); }
  std::int64_t out_h() const { return static_cast<std::int64_t>(lat.size()); }

  std::int64_t h, w, count;
  std::vector<std::int64_t> lat, lon;
  std::int64_t left;
};

template <class Bits>
class PadKernel final : public Kernel {
 public:
  PadKernel(PaddedPlanes planes, std::int64_t out_elements)
      : p_(std::move(planes)), out_elements_(out_elements) {}

  Status Run(const KernelArgs& args) override {
    const Bits* x = args.input<Bits>(0);
    Bits* y = args.output<Bits>(0);
    if (p_.count == 0) std::fill_n(y, out_elements_, Bits{0});
    for (std::int64_t n = 0; n < p_.count; ++n, x += p_.h * p_.w) {
      for (const std::int64_t row : p_.lat) {
        if (row < 0) {
          std::fill_n(y, p_.out_w(), Bits{0});
        } else {
          Row(x + row * p_.w, y);
        }
        y += p_.out_w();
      }
    }
    return OkStatus();
  }

 private:
  void Row(const Bits* x, Bits* y) const {
    const auto edge = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) {
        y[j] = p_.lon[j] < 0 ? Bits{0} : x[p_.lon[j]];
      }
    };
    edge(0, p_.left);
    std::copy_n(x, p_.w, y + p_.left);
    edge(p_.left + p_.w, p_.out_w());
  }

  PaddedPlanes p_;
  std::int64_t out_elements_;
};

template <class T>
class PadFoldKernel final : public Kernel {
 public:
  explicit PadFoldKernel(PaddedPlanes planes) : p_(std::move(planes)) {}

  Status Run(const KernelArgs& args) override {
    const T* dy = args.input<T>(0);
    T* dx = args.output<T>(0);
    std::fill_n(dx, p_.count * p_.h * p_.w, T{0});
    for (std::int64_t n = 0; n < p_.count; ++n, dx += p_.h * p_.w) {
      for (const std::int64_t row : p_.lat) {
        if (row >= 0) AddRow(dy, dx + row * p_.w);
        dy += p_.out_w();
      }
    }
    return OkStatus();
  }

 private:
  void AddRow(const T* dy, T* dx) const {
    const auto edge = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) {
        if (p_.lon[j] >= 0) dx[p_.lon[j]] += dy[j];
      }
    };
    const T* middle = dy + p_.left;
    for (std::int64_t j = 0; j < p_.w; ++j) dx[j] += middle[j];
    edge(0, p_.left);
    edge(p_.left + p_.w, p_.out_w());
  }

  PaddedPlanes p_;
};

}  // namespace

std::unique_ptr<Kernel> MakePadKernel(const KernelRequest& request,
                                      const AxisPadding& lat,
                                      const AxisPadding& lon) {
  PaddedPlanes planes(request.inputs[0].shape, lat, lon);
  const std::int64_t elements = request.outputs[0].shape.elements();
  switch (SizeOf(request.outputs[0].dtype)) {
    case 8:
      return std::make_unique<PadKernel<std::uint64_t>>(std::move(planes),
                                                        elements);
    case 4:
      return std::make_unique<PadKernel<std::uint32_t>>(std::move(planes),
                                                        elements);
    case 2:
      return std::make_unique<PadKernel<std::uint16_t>>(std::move(planes),
                                                        elements);
    default:
      return std::make_unique<PadKernel<std::uint8_t>>(std::move(planes),
                                                       elements);
  }
}

std::unique_ptr<Kernel> MakePadFoldKernel(const KernelRequest& request,
                                          const AxisPadding& lat,
                                          const AxisPadding& lon) {
  PaddedPlanes planes(request.outputs[0].shape, lat, lon);
  if (request.outputs[0].dtype == DType::kF64) {
    return std::make_unique<PadFoldKernel<double>>(std::move(planes));
  }
  return std::make_unique<PadFoldKernel<float>>(std::move(planes));
}

}  // namespace gyre::internal::inline autodiff
