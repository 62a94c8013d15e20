#include "autodiff/exec/pool_kernel.h"

#include <algorithm>

namespace gyre {
namespace {

// The part of a window that lies inside the plane.
struct Window {
  std::int64_t y0, y1, x0, x1;
  std::int64_t count() const { return (y1 - y0) * (x1 - x0); }
};

// f(window, index of the result) for each window of a plane.
template <class F>
void ForEachWindow(const PoolShape& s, const F& f) {
  std::int64_t n = 0;
  for (std::int64_t oy = 0; oy < s.out[0]; ++oy) {
    const std::int64_t y = oy * s.stride[0] - s.padding[0];
    const std::int64_t y0 = std::max<std::int64_t>(y, 0);
    const std::int64_t y1 = std::min(y + s.window[0], s.in[0]);
    for (std::int64_t ox = 0; ox < s.out[1]; ++ox, ++n) {
      const std::int64_t x = ox * s.stride[1] - s.padding[1];
      f(Window{y0, y1, std::max<std::int64_t>(x, 0),
               std::min(x + s.window[1], s.in[1])},
        n);
    }
  }
}

// The first NaN, or else the first maximum.
template <class T>
std::int64_t FirstMaximum(const T* x, std::int64_t row, const Window& w) {
  std::int64_t best = w.y0 * row + w.x0;
  for (std::int64_t y = w.y0; y < w.y1; ++y) {
    for (std::int64_t i = y * row + w.x0; i < y * row + w.x1; ++i) {
      if (!(x[best] == x[best])) return best;
      // Not <=, so that a NaN is taken too.
      if (!(x[i] <= x[best])) best = i;
    }
  }
  return best;
}

template <class T>
class PoolKernel final : public Kernel {
 public:
  PoolKernel(PoolPart part, const PoolShape& shape) : part_(part), s_(shape) {}

  Status Run(const KernelArgs& args) override {
    const std::int64_t in = s_.in[0] * s_.in[1];
    const std::int64_t out = s_.out[0] * s_.out[1];
    for (std::int64_t n = 0; n < s_.planes; ++n) {
      switch (part_) {
        case PoolPart::kMean:
          Mean(args.input<T>(0) + n * in, args.output<T>(0) + n * out);
          break;
        case PoolPart::kMeanGrad:
          MeanGrad(args.input<T>(0) + n * out, args.output<T>(0) + n * in);
          break;
        case PoolPart::kTake:
          Take(args.input<T>(0) + n * in, args.input<T>(1) + n * in,
               args.output<T>(0) + n * out);
          break;
        case PoolPart::kPut:
          Put(args.input<T>(0) + n * in, args.input<T>(1) + n * out,
              args.output<T>(0) + n * in);
          break;
      }
    }
    return OkStatus();
  }

 private:
  double Share(const Window& w) const {
    const std::int64_t count =
        s_.count_padding ? s_.window[0] * s_.window[1] : w.count();
    return 1 / static_cast<double>(count);
  }

  void Mean(const T* x, T* y) const {
    ForEachWindow(s_, [&](const Window& w, std::int64_t n) {
      double total = 0;
      for (std::int64_t iy = w.y0; iy < w.y1; ++iy) {
        for (std::int64_t ix = w.x0; ix < w.x1; ++ix) {
          total += static_cast<double>(x[iy * s_.in[1] + ix]);
        }
      }
      y[n] = static_cast<T>(total * Share(w));
    });
  }

  void MeanGrad(const T* dy, T* dx) const {
    std::fill_n(dx, s_.in[0] * s_.in[1], T{0});
    ForEachWindow(s_, [&](const Window& w, std::int64_t n) {
      const T share = static_cast<T>(static_cast<double>(dy[n]) * Share(w));
      for (std::int64_t iy = w.y0; iy < w.y1; ++iy) {
        for (std::int64_t ix = w.x0; ix < w.x1; ++ix) {
          dx[iy * s_.in[1] + ix] += share;
        }
      }
    });
  }

  void Take(const T* x, const T* values, T* y) const {
    ForEachWindow(s_, [&](const Window& w, std::int64_t n) {
      y[n] = values[FirstMaximum(x, s_.in[1], w)];
    });
  }

  void Put(const T* x, const T* dy, T* dx) const {
    std::fill_n(dx, s_.in[0] * s_.in[1], T{0});
    ForEachWindow(s_, [&](const Window& w, std::int64_t n) {
      dx[FirstMaximum(x, s_.in[1], w)] += dy[n];
    });
  }

  PoolPart part_;
  PoolShape s_;
};

}  // namespace

std::unique_ptr<Kernel> MakePoolKernel(PoolPart part, const PoolShape& shape,
                                       DType dtype) {
  if (dtype == DType::kF64) {
    return std::make_unique<PoolKernel<double>>(part, shape);
  }
  return std::make_unique<PoolKernel<float>>(part, shape);
}

}  // namespace gyre
