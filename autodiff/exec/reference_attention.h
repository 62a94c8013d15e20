// Attention row by row, in double: slow, and easy to trust.

#ifndef GYRE_AUTODIFF_EXEC_REFERENCE_ATTENTION_H_
#define GYRE_AUTODIFF_EXEC_REFERENCE_ATTENTION_H_

#include <memory>

#include "gyre/autodiff/exec/attention_shape.h"

namespace gyre::internal::inline autodiff {

// Operands as AttentionOp and AttentionGradOp have them; f32 or f64. Scratch:
// one row of scores (and dbias in double).
StatusOr<std::unique_ptr<Kernel>> MakeReferenceAttention(
    const AttentionShape& shape, DType dtype);
StatusOr<std::unique_ptr<Kernel>> MakeReferenceAttentionGrad(
    const AttentionShape& shape, DType dtype);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_REFERENCE_ATTENTION_H_
