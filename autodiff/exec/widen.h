// Kernels for 16-bit floats, made of f32 kernels: convert, compute, round once.
//
//   return MakeWidened(request, [](const KernelRequest& wide) {
//     return MakeSoftmaxKernel(wide);        // sees f32 where bf16 or f16 was
//   });
//
// Sums are therefore accumulated in f32 (or better), and the result is the
// nearest 16-bit number to what f32 gives.

#ifndef GYRE_AUTODIFF_EXEC_WIDEN_H_
#define GYRE_AUTODIFF_EXEC_WIDEN_H_

#include <functional>
#include <memory>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

using KernelMaker = std::function<StatusOr<std::unique_ptr<Kernel>>(
    const KernelRequest& request)>;

// What `make` gives for `request`; where operands are bf16 or f16, `make` is
// asked for f32 instead, and the copies live in scratch memory.
StatusOr<std::unique_ptr<Kernel>> MakeWidened(const KernelRequest& request,
                                              const KernelMaker& make);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_WIDEN_H_
