// Normalisation of rows with gain and bias, and its gradient.
//
// A row holds channels * inner numbers; gain and bias have one number a
// channel, and consecutive rows use consecutive sets of channels, `groups` of
// them. Layer norm over the last axis is groups 1, inner 1.

#ifndef GYRE_AUTODIFF_EXEC_NORM_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_NORM_KERNEL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

struct NormShape {
  std::int64_t rows = 0;
  std::int64_t groups = 1;
  std::int64_t channels = 1;  // of a row
  std::int64_t inner = 1;     // numbers of a channel
  bool centred = true;        // false: RMS, the mean stays
  bool has_gain = false;
  bool has_bias = false;
  double eps = 1e-5;

  std::int64_t row_size() const { return channels * inner; }
  // Numbers in gain and bias.
  std::int64_t gains() const { return groups * channels; }
  std::string ToString() const;
};

// in: x [, gain] [, bias]; out: y, mean, 1 / deviation. f32 or f64.
StatusOr<std::unique_ptr<Kernel>> MakeNormKernel(const KernelRequest& request,
                                                 const NormShape& shape);
// in: x, dy, mean, 1 / deviation [, gain]; out: dx, dgain, dbias.
StatusOr<std::unique_ptr<Kernel>> MakeNormGradKernel(
    const KernelRequest& request, const NormShape& shape);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_NORM_KERNEL_H_
