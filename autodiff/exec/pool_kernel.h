// Pooling over windows of the last two axes, and the adjoints; f32
// or f64.

#ifndef GYRE_AUTODIFF_EXEC_POOL_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_POOL_KERNEL_H_

#include <memory>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/pool_shape.h"

namespace gyre::internal::inline autodiff {

enum class PoolPart {
  kMean,      // x -> y
  kMeanGrad,  // dy -> dx
  kTake,      // (x, values) -> the value at the window's first maximum of x
  kPut,       // (x, dy) -> dy added at the window's first maximum of x
};

std::unique_ptr<Kernel> MakePoolKernel(PoolPart part,
                                       const PoolShape& shape,
                                       DType dtype);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_POOL_KERNEL_H_
