// A copy of the first input into the first output.

#ifndef GYRE_AUTODIFF_EXEC_COPY_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_COPY_KERNEL_H_

#include <memory>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

std::unique_ptr<Kernel> MakeCopyKernel(const KernelRequest& request);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_COPY_KERNEL_H_
