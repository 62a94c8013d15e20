// The place of the extreme element along an axis.

#ifndef GYRE_AUTODIFF_EXEC_ARG_REDUCE_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_ARG_REDUCE_KERNEL_H_

#include <memory>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

// f32 or f64 in, i32 out. The first of equals; NaN before any number.
StatusOr<std::unique_ptr<Kernel>> MakeArgReduceKernel(
    const KernelRequest& request, int axis, bool smallest);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_ARG_REDUCE_KERNEL_H_
