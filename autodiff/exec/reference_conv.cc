#include "gyre/autodiff/exec/reference_conv.h"

#include <algorithm>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {
namespace {

// Visits every product x * w that contributes to a y, once.
template <class Visit>
void ForEachTerm(const ConvShape& s, const Visit& visit) {
  const ConvOptions& o = s.options;
  const std::int64_t in_per_group = s.weight[1];
  const std::int64_t out_per_group = s.weight[0] / o.groups;
  const auto tap = [&](std::int64_t n,
                       std::int64_t co,
                       std::int64_t oy,
                       std::int64_t ox,
                       std::int64_t ci,
                       std::int64_t ky,
                       std::int64_t kx) {
    const std::int64_t iy =
        oy * o.stride[0] - o.padding[0] + ky * o.dilation[0];
    const std::int64_t ix =
        ox * o.stride[1] - o.padding[1] + kx * o.dilation[1];
    if (iy < 0 || iy >= s.x[2] || ix < 0 || ix >= s.x[3]) return;
    const std::int64_t c = co / out_per_group * in_per_group + ci;
    visit(((n * s.x[1] + c) * s.x[2] + iy) * s.x[3] + ix,
          ((co * in_per_group + ci) * s.weight[2] + ky) * s.weight[3] + kx,
          ((n * s.y[1] + co) * s.y[2] + oy) * s.y[3] + ox);
  };
  for (std::int64_t n = 0; n < s.y[0]; ++n)
    for (std::int64_t co = 0; co < s.y[1]; ++co)
      for (std::int64_t oy = 0; oy < s.y[2]; ++oy)
        for (std::int64_t ox = 0; ox < s.y[3]; ++ox)
          for (std::int64_t ci = 0; ci < in_per_group; ++ci)
            for (std::int64_t ky = 0; ky < s.weight[2]; ++ky)
              for (std::int64_t kx = 0; kx < s.weight[3]; ++kx)
                tap(n, co, oy, ox, ci, ky, kx);
}

template <class T>
class ReferenceConv final : public Kernel {
 public:
  ReferenceConv(ConvPart part, ConvShape shape)
      : part_(part), s_(std::move(shape)) {}

  std::size_t scratch_bytes() const override {
    return Result().elements() * sizeof(double);
  }

  Status Run(const KernelArgs& args) override {
    auto* total = reinterpret_cast<double*>(args.scratch);
    const std::int64_t count = Result().elements();
    std::fill_n(total, count, 0.0);
    const T* a = args.input<T>(0);
    const T* b = args.input<T>(1);
    const auto product = [](T p, T q) {
      return static_cast<double>(p) * static_cast<double>(q);
    };
    ForEachTerm(s_, [&](std::int64_t x, std::int64_t w, std::int64_t y) {
      switch (part_) {
        case ConvPart::kForward:
          total[y] += product(a[x], b[w]);
          break;
        case ConvPart::kInputGrad:
          total[x] += product(a[y], b[w]);
          break;
        case ConvPart::kWeightGrad:
          total[w] += product(a[x], b[y]);
          break;
      }
    });
    std::transform(total, total + count, args.output<T>(0), [](double value) {
      return static_cast<T>(value);
    });
    return OkStatus();
  }

 private:
  const Shape& Result() const {
    switch (part_) {
      case ConvPart::kForward:
        return s_.y;
      case ConvPart::kInputGrad:
        return s_.x;
      case ConvPart::kWeightGrad:
        break;
    }
    return s_.weight;
  }

  ConvPart part_;
  ConvShape s_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeReferenceConv(ConvPart part,
                                                    const ConvShape& shape,
                                                    DType dtype) {
  if (dtype == DType::kF32) {
    return std::make_unique<ReferenceConv<float>>(part, shape);
  }
  if (dtype == DType::kF64) {
    return std::make_unique<ReferenceConv<double>>(part, shape);
  }
  return ConfigError("conv2d: expected f32 or f64, got ", dtype);
}

}  // namespace gyre::internal::inline autodiff
