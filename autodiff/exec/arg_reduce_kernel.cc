#include "gyre/autodiff/exec/arg_reduce_kernel.h"

#include <cmath>

#include "gyre/autodiff/exec/axis_span.h"
#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {
namespace {

template <class T, bool kSmallest>
class ArgReduceKernel final : public Kernel {
 public:
  explicit ArgReduceKernel(const AxisSpan& span) : span_(span) {}

  Status Run(const KernelArgs& args) override {
    const T* in = args.input<T>(0);
    auto* out = args.output<std::int32_t>(0);
    for (std::int64_t o = 0; o < span_.outer; ++o) {
      const T* block = in + o * span_.extent * span_.inner;
      for (std::int64_t i = 0; i < span_.inner; ++i) {
        out[o * span_.inner + i] = Find(block + i);
      }
    }
    return OkStatus();
  }

 private:
  std::int32_t Find(const T* line) const {
    T best = line[0];
    std::int64_t place = 0;
    for (std::int64_t k = 1; k < span_.extent; ++k) {
      const T x = line[k * span_.inner];
      const bool beats = kSmallest ? x < best : x > best;
      if (beats || (std::isnan(x) && !std::isnan(best))) {
        // Nothing beats a NaN: comparisons with it are false.
        best = x;
        place = k;
      }
    }
    return static_cast<std::int32_t>(place);
  }

  AxisSpan span_;
};

template <class T>
std::unique_ptr<Kernel> Make(const AxisSpan& span, bool smallest) {
  if (smallest) return std::make_unique<ArgReduceKernel<T, true>>(span);
  return std::make_unique<ArgReduceKernel<T, false>>(span);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeArgReduceKernel(
    const KernelRequest& request, int axis, bool smallest) {
  const KernelTensor& in = request.inputs[0];
  const AxisSpan span(in.shape, axis);
  return in.dtype == DType::kF64 ? Make<double>(span, smallest)
                                 : Make<float>(span, smallest);
}

}  // namespace gyre::internal::inline autodiff
