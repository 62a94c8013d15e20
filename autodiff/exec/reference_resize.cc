#include <algorithm>
#include <cmath>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/reference_planes.h"

namespace gyre::internal::inline autodiff {
namespace {

struct Blend {
  std::int64_t first, second;
  double weight;  // of the second
};

// What element i of `to` is made of, of `from` elements: both axes span the
// same length, and elements stand in the middle of their part.
Blend BlendOf(ResizeMode mode,
              std::int64_t i,
              std::int64_t from,
              std::int64_t to) {
  if (mode == ResizeMode::kNearest) {
    const std::int64_t at = std::min((2 * i + 1) * from / (2 * to), from - 1);
    return {at, at, 0};
  }
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double middle = (static_cast<double>(i) + 0.5) * scale - 0.5;
  const double last = static_cast<double>(from - 1);
  const double at = std::clamp(middle, 0.0, last);
  const double below = std::floor(at);
  const auto first = static_cast<std::int64_t>(below);
  return {first, std::min(first + 1, from - 1), at - below};
}

struct ResizeSizes {
  std::int64_t h, w, out_h, out_w, planes;
  ResizeMode mode;

  ResizeSizes(const Shape& x, const Shape& y, ResizeMode resize_mode)
      : h(x[x.rank() - 2]),
        w(x[x.rank() - 1]),
        out_h(y[y.rank() - 2]),
        out_w(y[y.rank() - 1]),
        planes(h * w == 0 ? 0 : x.elements() / (h * w)),
        mode(resize_mode) {}

  // f(element of x, element of y, weight) for all pairs that have a part in
  // each other.
  template <class F>
  void ForEach(const F& f) const {
    std::int64_t to = 0;
    for (std::int64_t n = 0; n < planes; ++n) {
      for (std::int64_t i = 0; i < out_h; ++i) {
        for (std::int64_t j = 0; j < out_w; ++j, ++to) {
          const Blend row = BlendOf(mode, i, h, out_h);
          const Blend column = BlendOf(mode, j, w, out_w);
          const auto part = [&](std::int64_t y, std::int64_t x, double weight) {
            // A weight of 0 selects: it multiplies nothing.
            if (weight != 0) f((n * h + y) * w + x, to, weight);
          };
          const double up = 1 - row.weight, left = 1 - column.weight;
          part(row.first, column.first, up * left);
          part(row.first, column.second, up * column.weight);
          part(row.second, column.first, row.weight * left);
          part(row.second, column.second, row.weight * column.weight);
        }
      }
    }
  }
};

// y = A x, or with `adjoint` x = A^T y.
template <class T>
class ReferenceResize final : public Kernel {
 public:
  ReferenceResize(const ResizeSizes& sizes, bool adjoint)
      : s_(sizes),
        adjoint_(adjoint),
        count_(s_.planes * (adjoint ? s_.h * s_.w : s_.out_h * s_.out_w)) {}

  std::size_t scratch_bytes() const override { return count_ * sizeof(double); }

  Status Run(const KernelArgs& args) override {
    auto* sums = reinterpret_cast<double*>(args.scratch);
    std::fill_n(sums, count_, 0.0);
    const T* in = args.input<T>(0);
    s_.ForEach([&](std::int64_t x, std::int64_t y, double weight) {
      sums[adjoint_ ? x : y] += weight * double{in[adjoint_ ? y : x]};
    });
    std::transform(sums, sums + count_, args.output<T>(0), [](double sum) {
      return static_cast<T>(sum);
    });
    return OkStatus();
  }

 private:
  ResizeSizes s_;
  bool adjoint_;
  std::int64_t count_;  // of the result
};

std::unique_ptr<Kernel> Make(const ResizeSizes& sizes,
                             bool adjoint,
                             DType dtype) {
  if (dtype == DType::kF64) {
    return std::make_unique<ReferenceResize<double>>(sizes, adjoint);
  }
  return std::make_unique<ReferenceResize<float>>(sizes, adjoint);
}

}  // namespace

std::unique_ptr<Kernel> MakeReferenceResize(const KernelRequest& request,
                                            ResizeMode mode) {
  const ResizeSizes sizes(
      request.inputs[0].shape, request.outputs[0].shape, mode);
  return Make(sizes, false, request.outputs[0].dtype);
}

std::unique_ptr<Kernel> MakeReferenceResizeGrad(const KernelRequest& request,
                                                ResizeMode mode) {
  const ResizeSizes sizes(
      request.outputs[0].shape, request.inputs[0].shape, mode);
  return Make(sizes, true, request.outputs[0].dtype);
}

}  // namespace gyre::internal::inline autodiff
