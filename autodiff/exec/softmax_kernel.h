// Softmax over the last axis: f32 in vectors, f64 and the reference in plain
// loops that compute in double.

#ifndef GYRE_AUTODIFF_EXEC_SOFTMAX_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_SOFTMAX_KERNEL_H_

#include <memory>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

// x -> softmax(x), or its logarithm. f32 or f64.
StatusOr<std::unique_ptr<Kernel>> MakeSoftmaxKernel(
    const KernelRequest& request, bool log);
// (y, dy) -> dx.
StatusOr<std::unique_ptr<Kernel>> MakeSoftmaxGradKernel(
    const KernelRequest& request, bool log);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_SOFTMAX_KERNEL_H_
