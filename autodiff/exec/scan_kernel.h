// Running sums along an axis.

#ifndef GYRE_AUTODIFF_EXEC_SCAN_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_SCAN_KERNEL_H_

#include <memory>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

// f32 and f64, accumulated in f64 one element after the other, from the front
// or, `reverse`, from the back. Both kernel sets run the same loop.
StatusOr<std::unique_ptr<Kernel>> MakeCumsumKernel(const KernelRequest& request,
                                                   int axis,
                                                   bool reverse);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_SCAN_KERNEL_H_
