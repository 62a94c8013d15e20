#include "gyre/autodiff/exec/pool_kernel.h"

#include <algorithm>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {
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
      f(Window{y0,
               y1,
               std::max<std::int64_t>(x, 0),
               std::min(x + s.window[1], s.in[1])},
        n);
    }
  }
}

// For each window of one row of results, where its first NaN is, or else its
// first maximum. Tap by tap over the whole row, with selects: which element
// wins is as good as random, and a branch would be guessed wrong.
template <class T>
class FirstMaxima {
 public:
  FirstMaxima(const PoolShape& shape, std::byte* scratch)
      : s_(shape),
        places_(reinterpret_cast<std::int64_t*>(scratch)),
        tops_(reinterpret_cast<T*>(places_ + shape.out[1])) {}

  static std::size_t ScratchBytes(const PoolShape& shape) {
    return shape.out[1] * (sizeof(std::int64_t) + sizeof(T));
  }

  // Positions in the plane x, one a window of row `oy`.
  const std::int64_t* Row(const T* x, std::int64_t oy) {
    // -1: nothing seen yet; every window has an element inside.
    std::fill_n(places_, s_.out[1], -1);
    std::fill_n(tops_, s_.out[1], T{0});
    const std::int64_t y = oy * s_.stride[0] - s_.padding[0];
    const std::int64_t end = std::min(y + s_.window[0], s_.in[0]);
    for (std::int64_t iy = std::max<std::int64_t>(y, 0); iy < end; ++iy) {
      for (std::int64_t tap = 0; tap < s_.window[1]; ++tap) {
        Tap(x, iy * s_.in[1], tap - s_.padding[1]);
      }
    }
    return places_;
  }

 private:
  // Element `shift` from each window's place, where it lies in the row.
  void Tap(const T* x, std::int64_t row, std::int64_t shift) {
    const std::int64_t step = s_.stride[1];
    const std::int64_t first = shift < 0 ? (-shift + step - 1) / step : 0;
    const std::int64_t room = s_.in[1] - shift;
    const std::int64_t last =
        std::min(s_.out[1], room <= 0 ? 0 : (room + step - 1) / step);
    for (std::int64_t n = first; n < last; ++n) {
      const std::int64_t at = row + n * step + shift;
      const T v = x[at];
      const T top = tops_[n];
      const bool wins =
          (places_[n] < 0) | (v > top) | ((v != v) & (top == top));
      tops_[n] = wins ? v : top;
      places_[n] = wins ? at : places_[n];
    }
  }

  const PoolShape& s_;
  std::int64_t* places_;
  T* tops_;
};

template <class T>
class PoolKernel final : public Kernel {
 public:
  PoolKernel(PoolPart part, const PoolShape& shape)
      : part_(part),
        s_(shape),
        share_(1 / static_cast<double>(shape.window[0] * shape.window[1])) {}

  std::size_t scratch_bytes() const override {
    return FirstMaxima<T>::ScratchBytes(s_);
  }

  Status Run(const KernelArgs& args) override {
    const std::int64_t in = s_.in[0] * s_.in[1];
    const std::int64_t out = s_.out[0] * s_.out[1];
    FirstMaxima<T> maxima(s_, args.scratch);
    for (std::int64_t n = 0; n < s_.planes; ++n) {
      switch (part_) {
        case PoolPart::kMean:
          Mean(args.input<T>(0) + n * in, args.output<T>(0) + n * out);
          break;
        case PoolPart::kMeanGrad:
          MeanGrad(args.input<T>(0) + n * out, args.output<T>(0) + n * in);
          break;
        case PoolPart::kTake:
          Take(args.input<T>(0) + n * in,
               args.input<T>(1) + n * in,
               args.output<T>(0) + n * out,
               maxima);
          break;
        case PoolPart::kPut:
          Put(args.input<T>(0) + n * in,
              args.input<T>(1) + n * out,
              args.output<T>(0) + n * in,
              maxima);
          break;
      }
    }
    return OkStatus();
  }

 private:
  double Share(const Window& w) const {
    if (s_.count_padding) return share_;
    return 1 / static_cast<double>(w.count());
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

  void Take(const T* x, const T* values, T* y, FirstMaxima<T>& maxima) const {
    for (std::int64_t oy = 0; oy < s_.out[0]; ++oy, y += s_.out[1]) {
      const std::int64_t* places = maxima.Row(x, oy);
      for (std::int64_t n = 0; n < s_.out[1]; ++n) y[n] = values[places[n]];
    }
  }

  void Put(const T* x, const T* dy, T* dx, FirstMaxima<T>& maxima) const {
    std::fill_n(dx, s_.in[0] * s_.in[1], T{0});
    for (std::int64_t oy = 0; oy < s_.out[0]; ++oy, dy += s_.out[1]) {
      const std::int64_t* places = maxima.Row(x, oy);
      for (std::int64_t n = 0; n < s_.out[1]; ++n) dx[places[n]] += dy[n];
    }
  }

  PoolPart part_;
  PoolShape s_;
  double share_;  // of one element in a whole window
};

}  // namespace

std::unique_ptr<Kernel> MakePoolKernel(PoolPart part,
                                       const PoolShape& shape,
                                       DType dtype) {
  if (dtype == DType::kF64) {
    return std::make_unique<PoolKernel<double>>(part, shape);
  }
  return std::make_unique<PoolKernel<float>>(part, shape);
}

}  // namespace gyre::internal::inline autodiff
