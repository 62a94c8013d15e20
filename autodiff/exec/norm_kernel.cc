#include "gyre/autodiff/exec/norm_kernel.h"

#include <algorithm>
#include <cmath>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/norm_rows.h"
#include "gyre/core/number.h"

namespace gyre::internal::inline autodiff {
namespace {

template <class T>
class NormKernel final : public Kernel {
 public:
  NormKernel(const NormShape& shape, NormRow<T> row) : s_(shape), row_(row) {}

  Status Run(const KernelArgs& args) override {
    const T* gain = s_.has_gain ? args.input<T>(1) : nullptr;
    const T* bias = s_.has_bias ? args.input<T>(s_.has_gain ? 2 : 1) : nullptr;
    for (std::int64_t r = 0; r < s_.rows; ++r) {
      const std::int64_t first = r % s_.groups * s_.channels;
      const RowStatistics<T> found =
          row_(s_,
               args.input<T>(0) + r * s_.row_size(),
               gain == nullptr ? nullptr : gain + first,
               bias == nullptr ? nullptr : bias + first,
               args.output<T>(0) + r * s_.row_size());
      if (args.out[1] != nullptr) args.output<T>(1)[r] = found.mean;
      if (args.out[2] != nullptr) args.output<T>(2)[r] = found.scale;
    }
    return OkStatus();
  }

 private:
  NormShape s_;
  NormRow<T> row_;
};

// Sums over rows: in T over kRowsTogether rows, in f64 between them, so that
// dgain of a tall batch keeps its digits.
template <class T>
class NormGradKernel final : public Kernel {
 public:
  NormGradKernel(const NormShape& shape, NormGradRow<T> row)
      : s_(shape), row_(row) {}

  std::size_t scratch_bytes() const override {
    return 2 * s_.gains() * (sizeof(double) + sizeof(T));
  }

  Status Run(const KernelArgs& args) override {
    const std::int64_t sums = 2 * s_.gains();
    auto* total = reinterpret_cast<double*>(args.scratch);
    auto* part = reinterpret_cast<T*>(total + sums);
    std::fill_n(total, sums, 0.0);
    const std::int64_t together = kRowsTogether * s_.groups;
    for (std::int64_t begin = 0; begin < s_.rows; begin += together) {
      std::fill_n(part, sums, T{0});
      for (std::int64_t r = begin; r < std::min(begin + together, s_.rows);
           ++r) {
        Row(args, r, part);
      }
      for (std::int64_t i = 0; i < sums; ++i) {
        total[i] += static_cast<double>(part[i]);
      }
    }
    Store(total, args.output<T>(1));
    Store(total + s_.gains(), args.output<T>(2));
    return OkStatus();
  }

 private:
  static constexpr std::int64_t kRowsTogether = 64;

  void Row(const KernelArgs& args, std::int64_t r, T* part) const {
    const std::int64_t at = r * s_.row_size();
    const std::int64_t first = r % s_.groups * s_.channels;
    row_(s_,
         {args.input<T>(2)[r], args.input<T>(3)[r]},
         args.input<T>(0) + at,
         args.input<T>(1) + at,
         s_.has_gain ? args.input<T>(4) + first : nullptr,
         args.out[0] == nullptr ? nullptr : args.output<T>(0) + at,
         part + first,
         part + s_.gains() + first);
  }
  void Store(const double* total, T* out) const {
    if (out == nullptr) return;
    std::transform(total, total + s_.gains(), out, [](double value) {
      return static_cast<T>(value);
    });
  }

  NormShape s_;
  NormGradRow<T> row_;
};

}  // namespace

std::string NormShape::ToString() const {
  return Cat("rows=",
             rows,
             " groups=",
             groups,
             " channels=",
             channels,
             " inner=",
             inner,
             " centred=",
             centred,
             " gain=",
             has_gain,
             " bias=",
             has_bias,
             " eps=",
             Number(eps));
}

StatusOr<std::unique_ptr<Kernel>> MakeNormKernel(const KernelRequest& request,
                                                 const NormShape& shape) {
  if (request.outputs[0].dtype == DType::kF64) {
    return std::make_unique<NormKernel<double>>(shape, &PlainNormRow<double>);
  }
  return std::make_unique<NormKernel<float>>(
      shape,
      request.set == KernelSet::kFast ? &FastNormRow : &PlainNormRow<float>);
}

StatusOr<std::unique_ptr<Kernel>> MakeNormGradKernel(
    const KernelRequest& request, const NormShape& shape) {
  if (request.outputs[0].dtype == DType::kF64) {
    return std::make_unique<NormGradKernel<double>>(shape,
                                                    &PlainNormGradRow<double>);
  }
  return std::make_unique<NormGradKernel<float>>(
      shape,
      request.set == KernelSet::kFast ? &FastNormGradRow
                                      : &PlainNormGradRow<float>);
}

}  // namespace gyre::internal::inline autodiff
