#include "gyre/autodiff/exec/pool_shape.h"

namespace gyre {

using namespace internal;

std::string PoolOptions::ToString() const {
  const auto step = stride.value_or(window);
  return Cat("window=",
             window[0],
             "x",
             window[1],
             " stride=",
             step[0],
             "x",
             step[1],
             " padding=",
             padding[0],
             "x",
             padding[1],
             count_padding ? "" : " inside");
}

}  // namespace gyre

namespace gyre::internal::inline autodiff {

StatusOr<PoolShape> PoolShape::Make(const Shape& x,
                                    const PoolOptions& options) {
  if (x.rank() < 2) return ConfigError("expected x (..., lat, lon), got ", x);
  PoolShape s;
  s.window = options.window;
  s.stride = options.stride.value_or(options.window);
  s.padding = options.padding;
  s.count_padding = options.count_padding;
  for (int i = 0; i < 2; ++i) {
    s.in[i] = x[x.rank() - 2 + i];
    if (s.window[i] < 1 || s.stride[i] < 1 || s.padding[i] < 0 ||
        s.padding[i] >= s.window[i]) {
      return ConfigError(
          "expected window and stride of 1 or more and padding "
          "of 0 or more and below the window, got ",
          options.ToString());
    }
    const std::int64_t room = s.in[i] + 2 * s.padding[i] - s.window[i];
    if (s.in[i] < 1 || room < 0) {
      return ConfigError(
          "the window (", options.ToString(), ") is larger than x ", x);
    }
    s.out[i] = room / s.stride[i] + 1;
  }
  s.planes = x.elements() / (s.in[0] * s.in[1]);
  return s;
}

Shape PoolShape::Result(const Shape& x) const {
  std::vector<std::int64_t> dims = x.dims();
  dims[dims.size() - 2] = out[0];
  dims[dims.size() - 1] = out[1];
  return Shape(std::move(dims));
}

}  // namespace gyre::internal::inline autodiff
