#include "gyre/autodiff/exec/scan_kernel.h"

#include <algorithm>

#include "gyre/autodiff/exec/axis_span.h"
#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {
namespace {

template <class T>
class CumsumKernel final : public Kernel {
 public:
  CumsumKernel(const AxisSpan& span, bool reverse)
      : span_(span), reverse_(reverse) {}

  std::size_t scratch_bytes() const override {
    return span_.inner * sizeof(double);
  }

  Status Run(const KernelArgs& args) override {
    auto* sums = reinterpret_cast<double*>(args.scratch);
    const std::int64_t block = span_.extent * span_.inner;
    for (std::int64_t o = 0; o < span_.outer; ++o) {
      std::fill_n(sums, span_.inner, 0.0);
      const T* in = args.input<T>(0) + o * block;
      T* out = args.output<T>(0) + o * block;
      for (std::int64_t k = 0; k < span_.extent; ++k) {
        const std::int64_t at = reverse_ ? span_.extent - 1 - k : k;
        AddRow(in + at * span_.inner, out + at * span_.inner, sums);
      }
    }
    return OkStatus();
  }

 private:
  // One position of all lines: contiguous, so that it runs in vectors.
  void AddRow(const T* in, T* out, double* sums) const {
    for (std::int64_t i = 0; i < span_.inner; ++i) {
      sums[i] += static_cast<double>(in[i]);
      out[i] = static_cast<T>(sums[i]);
    }
  }

  AxisSpan span_;
  bool reverse_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeCumsumKernel(const KernelRequest& request,
                                                   int axis,
                                                   bool reverse) {
  const KernelTensor& in = request.inputs[0];
  const AxisSpan span(in.shape, axis);
  if (in.dtype == DType::kF64) {
    return std::make_unique<CumsumKernel<double>>(span, reverse);
  }
  return std::make_unique<CumsumKernel<float>>(span, reverse);
}

}  // namespace gyre::internal::inline autodiff
