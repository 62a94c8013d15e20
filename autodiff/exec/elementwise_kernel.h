// Elementwise operations, alone or fused, on the tile engine.

#ifndef GYRE_AUTODIFF_EXEC_ELEMENTWISE_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_ELEMENTWISE_KERNEL_H_

#include <memory>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/reduce_kernel.h"
#include "gyre/autodiff/exec/tile_program.h"

namespace gyre::internal::inline autodiff {

// The strides with which a dense tensor of `shape` is read along `extents`,
// 0 where it broadcasts.
std::vector<std::int64_t> BroadcastStrides(const Shape& shape,
                                           const Shape& extents);

StatusOr<std::unique_ptr<Kernel>> MakeElementwiseKernel(
    Code code, const KernelRequest& request);

// The kernel of a whole program; its inputs are the request's, in order. With
// `jit`, generated code where it can be, to the same bits.
StatusOr<std::unique_ptr<Kernel>> MakeTileKernel(const TileProgram& program,
                                                 bool jit = false);

// The same for a program whose result is reduced on the way.
StatusOr<std::unique_ptr<Kernel>> MakeReduceKernel(const ReduceProgram& program,
                                                   bool jit = false);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_ELEMENTWISE_KERNEL_H_
