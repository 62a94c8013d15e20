// Plain kernels for padding, pooling and resampling the last two axes: one
// element at a time, by the definition, sums in double. What the fast ones
// (pad_kernel.h, pool_kernel.h, resize_kernel.h) are held against.

#ifndef GYRE_AUTODIFF_EXEC_REFERENCE_PLANES_H_
#define GYRE_AUTODIFF_EXEC_REFERENCE_PLANES_H_

#include <memory>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/pad_map.h"
#include "gyre/autodiff/exec/pool_kernel.h"
#include "gyre/autodiff/exec/resize_kernel.h"

namespace gyre::internal::inline autodiff {

// As MakePadKernel and MakePadFoldKernel.
std::unique_ptr<Kernel> MakeReferencePad(const KernelRequest& request,
                                         const AxisPadding& lat,
                                         const AxisPadding& lon);
std::unique_ptr<Kernel> MakeReferencePadFold(const KernelRequest& request,
                                             const AxisPadding& lat,
                                             const AxisPadding& lon);

// As MakePoolKernel.
std::unique_ptr<Kernel> MakeReferencePool(PoolPart part,
                                          const PoolShape& shape,
                                          DType dtype);

// As MakeResizeKernel and MakeResizeGradKernel.
std::unique_ptr<Kernel> MakeReferenceResize(const KernelRequest& request,
                                            ResizeMode mode);
std::unique_ptr<Kernel> MakeReferenceResizeGrad(const KernelRequest& request,
                                                ResizeMode mode);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_REFERENCE_PLANES_H_
