#include "gyre/autodiff/exec/softmax_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/row_loops.h"

namespace gyre::internal::inline autodiff {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

struct RowSizes {
  std::int64_t rows = 1;
  std::int64_t n = 1;
  bool log = false;
};

// --- plain loops -------------------------------------------------------------

template <class T>
void ReferenceRow(const T* x, T* y, std::int64_t n, bool log) {
  double top = kLowest;
  for (std::int64_t i = 0; i < n; ++i) {
    if (x[i] > top) top = x[i];
  }
  // A row of -Inf alone: shifting by 0 makes every term 0.
  const double shift = top == kLowest ? 0 : top;
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    total += std::exp(static_cast<double>(x[i]) - shift);
  }
  const double log_total = total == 0 ? 0 : std::log(total);
  for (std::int64_t i = 0; i < n; ++i) {
    const double e = static_cast<double>(x[i]) - shift;
    y[i] = static_cast<T>(log          ? e - log_total
                          : total == 0 ? 0
                                       : std::exp(e) / total);
  }
}

template <class T>
void ReferenceGradRow(
    const T* y, const T* dy, T* dx, std::int64_t n, bool log) {
  double dot = 0;
  double mass = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(dy[i]);
    dot += log ? d : d * static_cast<double>(y[i]);
    mass += log ? std::exp(static_cast<double>(y[i])) : 1;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(dy[i]);
    const double p = static_cast<double>(y[i]);
    const double g = log ? d - std::exp(p) * dot : p * (d - dot);
    dx[i] = static_cast<T>(mass == 0 ? 0 : g);
  }
}

// --- vectors of f32 ----------------------------------------------------------

void FastRow(const float* x, float* y, std::int64_t n, bool log) {
  const float top = rows::Max(x, n);
  const float shift =
      top == -std::numeric_limits<float>::infinity() ? 0.0f : top;
  const double total = rows::ExpAndSum(x, y, n, shift);
  if (log) {
    const auto log_total = static_cast<float>(total == 0 ? 0 : std::log(total));
    rows::Map(x, y, n, [&](FloatBatch v) {
      return (v - FloatBatch(shift)) - FloatBatch(log_total);
    });
    return;
  }
  const auto scale = static_cast<float>(total == 0 ? 0 : 1 / total);
  rows::Map(y, y, n, [&](FloatBatch v) { return v * FloatBatch(scale); });
}

void FastGradRow(
    const float* y, const float* dy, float* dx, std::int64_t n, bool log) {
  const auto load = [](const float* p, std::int64_t live) {
    return rows::LoadLive(p, live, 0.0f);
  };
  const auto dot =
      static_cast<float>(rows::Sum(n, [&](std::int64_t i, std::int64_t live) {
        const FloatBatch d = load(dy + i, live);
        return log ? d : d * load(y + i, live);
      }));
  if (!log) {
    rows::ForEachVector(n, [&](std::int64_t i, std::int64_t live) {
      rows::StoreLive(
          dx + i,
          live,
          load(y + i, live) * (load(dy + i, live) - FloatBatch(dot)));
    });
    return;
  }
  if (rows::Max(y, n) == -std::numeric_limits<float>::infinity()) {
    // All -Inf, unless a NaN hides behind it, which has to stay.
    std::transform(y, y + n, dx, [](float v) { return v == v ? 0.0f : v; });
    return;
  }
  rows::ForEachVector(n, [&](std::int64_t i, std::int64_t live) {
    const FloatBatch p = math::exp(load(y + i, live));
    rows::StoreLive(dx + i, live, load(dy + i, live) - p * FloatBatch(dot));
  });
}

// --- kernels -----------------------------------------------------------------

template <class T>
class SoftmaxKernel final : public Kernel {
 public:
  using Row = void (*)(const T* x, T* y, std::int64_t n, bool log);
  SoftmaxKernel(RowSizes sizes, Row row) : s_(sizes), row_(row) {}
  Status Run(const KernelArgs& args) override {
    for (std::int64_t r = 0; r < s_.rows; ++r) {
      row_(args.input<T>(0) + r * s_.n,
           args.output<T>(0) + r * s_.n,
           s_.n,
           s_.log);
    }
    return OkStatus();
  }

 private:
  RowSizes s_;
  Row row_;
};

template <class T>
class SoftmaxGradKernel final : public Kernel {
 public:
  using Row =
      void (*)(const T* y, const T* dy, T* dx, std::int64_t n, bool log);
  SoftmaxGradKernel(RowSizes sizes, Row row) : s_(sizes), row_(row) {}
  Status Run(const KernelArgs& args) override {
    for (std::int64_t r = 0; r < s_.rows; ++r) {
      const std::int64_t at = r * s_.n;
      row_(args.input<T>(0) + at,
           args.input<T>(1) + at,
           args.output<T>(0) + at,
           s_.n,
           s_.log);
    }
    return OkStatus();
  }

 private:
  RowSizes s_;
  Row row_;
};

RowSizes SizesOf(const Shape& shape, bool log) {
  RowSizes sizes{1, 1, log};
  if (shape.rank() > 0) sizes.n = shape[shape.rank() - 1];
  if (sizes.n > 0) sizes.rows = shape.elements() / sizes.n;
  return sizes;
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSoftmaxKernel(
    const KernelRequest& request, bool log) {
  const RowSizes sizes = SizesOf(request.outputs[0].shape, log);
  if (request.outputs[0].dtype == DType::kF64) {
    return std::make_unique<SoftmaxKernel<double>>(sizes,
                                                   &ReferenceRow<double>);
  }
  return std::make_unique<SoftmaxKernel<float>>(
      sizes, request.set == KernelSet::kFast ? &FastRow : &ReferenceRow<float>);
}

StatusOr<std::unique_ptr<Kernel>> MakeSoftmaxGradKernel(
    const KernelRequest& request, bool log) {
  const RowSizes sizes = SizesOf(request.outputs[0].shape, log);
  if (request.outputs[0].dtype == DType::kF64) {
    return std::make_unique<SoftmaxGradKernel<double>>(
        sizes, &ReferenceGradRow<double>);
  }
  return std::make_unique<SoftmaxGradKernel<float>>(
      sizes,
      request.set == KernelSet::kFast ? &FastGradRow
                                      : &ReferenceGradRow<float>);
}

}  // namespace gyre::internal::inline autodiff
