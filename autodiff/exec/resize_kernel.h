// Resampling the last two axes, and its adjoint. Loops over rows; f32 or f64.

#ifndef GYRE_AUTODIFF_EXEC_RESIZE_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_RESIZE_KERNEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/resize_shape.h"

namespace gyre::internal::inline autodiff {

// An element of the new axis: (1 - weight) * first + weight * second of the
// old one. Where the weight is 0, second is first.
struct ResizeTap {
  std::int64_t first, second;
  double weight;
};
std::vector<ResizeTap> ResizeTaps(ResizeMode mode,
                                  std::int64_t from,
                                  std::int64_t to);

// x (..., h, w) -> y (..., h', w').
std::unique_ptr<Kernel> MakeResizeKernel(const KernelRequest& request,
                                         ResizeMode mode);
// dy (..., h', w') -> dx (..., h, w).
std::unique_ptr<Kernel> MakeResizeGradKernel(const KernelRequest& request,
                                             ResizeMode mode);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_RESIZE_KERNEL_H_
