// Slices read, and added up, at indices. Indices are i32 or i64; those out of
// range read no memory and write none.

#ifndef GYRE_AUTODIFF_EXEC_GATHER_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_GATHER_KERNEL_H_

#include <memory>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

// Inputs: x, indices. Out of range gives NaN, or 0 if `zero_fill` or if the
// type has no NaN.
StatusOr<std::unique_ptr<Kernel>> MakeGatherKernel(const KernelRequest& request,
                                                   int axis,
                                                   bool zero_fill);

// Inputs: updates, indices. Zeros and the updates, in the indices' order.
StatusOr<std::unique_ptr<Kernel>> MakeScatterKernel(
    const KernelRequest& request, int axis);

// Input: indices.
StatusOr<std::unique_ptr<Kernel>> MakeOneHotKernel(
    const KernelRequest& request);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_GATHER_KERNEL_H_
