// Tiled attention in f32: scratch is a tile or two and a number a query.

#ifndef GYRE_AUTODIFF_EXEC_ATTENTION_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_ATTENTION_KERNEL_H_

#include <memory>

#include "gyre/autodiff/exec/attention_shape.h"

namespace gyre::internal::inline autodiff {

// Operands as AttentionOp and AttentionGradOp have them.
std::unique_ptr<Kernel> MakeTiledAttention(const AttentionShape& shape);
std::unique_ptr<Kernel> MakeTiledAttentionGrad(const AttentionShape& shape);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_ATTENTION_KERNEL_H_
