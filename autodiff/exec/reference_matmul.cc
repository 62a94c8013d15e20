#include "gyre/autodiff/exec/reference_matmul.h"

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {
namespace {

template <class T>
class ReferenceMatmul final : public Kernel {
 public:
  explicit ReferenceMatmul(const MatmulShape& shape) : s_(shape) {}

  Status Run(const KernelArgs& args) override {
    for (std::int64_t i = 0; i < s_.batch; ++i) {
      One(args.input<T>(0) + i * s_.m * s_.k,
          args.input<T>(1) + (s_.shared_b ? 0 : i * s_.k * s_.n),
          args.output<T>(0) + i * s_.m * s_.n);
    }
    return OkStatus();
  }

 private:
  void One(const T* a, const T* b, T* y) const {
    for (std::int64_t row = 0; row < s_.m; ++row) {
      for (std::int64_t column = 0; column < s_.n; ++column) {
        double total = 0;
        for (std::int64_t k = 0; k < s_.k; ++k) {
          const T x = s_.transpose_a ? a[k * s_.m + row] : a[row * s_.k + k];
          const T w =
              s_.transpose_b ? b[column * s_.k + k] : b[k * s_.n + column];
          total += static_cast<double>(x) * static_cast<double>(w);
        }
        y[row * s_.n + column] = static_cast<T>(total);
      }
    }
  }

  MatmulShape s_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeReferenceMatmul(
    const MatmulShape& shape) {
  if (shape.dtype == DType::kF32) {
    return std::make_unique<ReferenceMatmul<float>>(shape);
  }
  if (shape.dtype == DType::kF64) {
    return std::make_unique<ReferenceMatmul<double>>(shape);
  }
  return ConfigError("matmul: expected f32 or f64, got ", shape.dtype);
}

}  // namespace gyre::internal::inline autodiff
