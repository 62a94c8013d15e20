#include <algorithm>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/reference_planes.h"

namespace gyre::internal::inline autodiff {
namespace {

template <class T>
class ReferencePool final : public Kernel {
 public:
  ReferencePool(PoolPart part, const PoolShape& shape)
      : part_(part),
        s_(shape),
        in_(shape.in[0] * shape.in[1]),
        out_(shape.out[0] * shape.out[1]) {}

  // The sums of the elements that a plane's windows share.
  std::size_t scratch_bytes() const override { return in_ * sizeof(double); }

  Status Run(const KernelArgs& args) override {
    auto* sums = reinterpret_cast<double*>(args.scratch);
    const bool adds = part_ == PoolPart::kMeanGrad || part_ == PoolPart::kPut;
    for (std::int64_t n = 0; n < s_.planes; ++n) {
      std::fill_n(sums, in_, 0.0);
      for (std::int64_t i = 0; i < s_.out[0]; ++i) {
        for (std::int64_t j = 0; j < s_.out[1]; ++j) {
          Window(args, n, i, j, sums);
        }
      }
      if (!adds) continue;
      std::transform(
          sums, sums + in_, args.output<T>(0) + n * in_, [](double sum) {
            return static_cast<T>(sum);
          });
    }
    return OkStatus();
  }

 private:
  // f(position in the plane) for each element of a window that lies inside.
  template <class F>
  void ForEach(std::int64_t i, std::int64_t j, const F& f) const {
    for (std::int64_t a = 0; a < s_.window[0]; ++a) {
      for (std::int64_t b = 0; b < s_.window[1]; ++b) {
        const std::int64_t y = i * s_.stride[0] - s_.padding[0] + a;
        const std::int64_t x = j * s_.stride[1] - s_.padding[1] + b;
        const bool inside = y >= 0 && y < s_.in[0] && x >= 0 && x < s_.in[1];
        if (inside) f(y * s_.in[1] + x);
      }
    }
  }

  double Divisor(std::int64_t i, std::int64_t j) const {
    if (s_.count_padding) {
      return static_cast<double>(s_.window[0] * s_.window[1]);
    }
    double count = 0;
    ForEach(i, j, [&](std::int64_t) { ++count; });
    return count;
  }

  // The first NaN of the window, or else its first maximum.
  std::int64_t Top(const T* x, std::int64_t i, std::int64_t j) const {
    std::int64_t best = -1;
    ForEach(i, j, [&](std::int64_t at) {
      if (best < 0) {
        best = at;
        return;
      }
      const bool have_nan = x[best] != x[best];
      if (!have_nan && (x[at] != x[at] || x[at] > x[best])) best = at;
    });
    return best;
  }

  void Window(const KernelArgs& args,
              std::int64_t n,
              std::int64_t i,
              std::int64_t j,
              double* sums) const {
    const std::int64_t to = n * out_ + i * s_.out[1] + j;
    const T* x = args.input<T>(0) + n * in_;
    switch (part_) {
      case PoolPart::kMean: {
        double total = 0;
        ForEach(i, j, [&](std::int64_t at) { total += double{x[at]}; });
        args.output<T>(0)[to] = static_cast<T>(total / Divisor(i, j));
        break;
      }
      case PoolPart::kMeanGrad: {
        const double share = double{args.input<T>(0)[to]} / Divisor(i, j);
        ForEach(i, j, [&](std::int64_t at) { sums[at] += share; });
        break;
      }
      case PoolPart::kTake:
        args.output<T>(0)[to] = args.input<T>(1)[n * in_ + Top(x, i, j)];
        break;
      case PoolPart::kPut:
        sums[Top(x, i, j)] += double{args.input<T>(1)[to]};
        break;
    }
  }

  PoolPart part_;
  PoolShape s_;
  std::int64_t in_, out_;  // elements of a plane
};

}  // namespace

std::unique_ptr<Kernel> MakeReferencePool(PoolPart part,
                                          const PoolShape& shape,
                                          DType dtype) {
  if (dtype == DType::kF64) {
    return std::make_unique<ReferencePool<double>>(part, shape);
  }
  return std::make_unique<ReferencePool<float>>(part, shape);
}

}  // namespace gyre::internal::inline autodiff
