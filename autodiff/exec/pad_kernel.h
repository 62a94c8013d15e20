// Padding the last two axes, and its adjoint, by whole rows.

#ifndef GYRE_AUTODIFF_EXEC_PAD_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_PAD_KERNEL_H_

#include <memory>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/pad_map.h"

namespace gyre::internal::inline autodiff {

// x (..., h, w) -> (..., h', w'); moves bits, so any type.
std::unique_ptr<Kernel> MakePadKernel(const KernelRequest& request,
                                      const AxisPadding& lat,
                                      const AxisPadding& lon);
// dy (..., h', w') -> dx (..., h, w): every element is added to its source.
// f32 or f64.
std::unique_ptr<Kernel> MakePadFoldKernel(const KernelRequest& request,
                                          const AxisPadding& lat,
                                          const AxisPadding& lon);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_PAD_KERNEL_H_
