// Products and sums by named axes.
//
//   Var c = einsum("bij,bjk->bik", a, b);
//   Var scores = einsum("bhqd,bhkd->bhqk", q, k);
//   Var mixed = einsum("nchw,oc->nohw", x, w);
//   Var total = einsum("ij->j", a);
//
// Each letter names an axis; an axis that is not in the result is summed over.
// Two operands become transposes (only where the order needs them) around one
// batched matmul, or a broadcast product where no axis is shared and summed.
//
// Errors: a text that is not of this form; a letter twice in one operand (no
// traces) or in the result; a letter of the result in no operand; operands
// whose rank or extents do not fit their letters.

#ifndef GYRE_AUTODIFF_OPS_EINSUM_H_
#define GYRE_AUTODIFF_OPS_EINSUM_H_

#include <string_view>

#include "gyre/autodiff/var.h"

namespace gyre {

Var einsum(std::string_view spec, Traced a);
Var einsum(std::string_view spec, Traced a, Traced b);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_EINSUM_H_
