// Where the largest, or the smallest, element lies along an axis.
//
//   Var category = argmax(logits, -1);     // i32, (batch)
//
// The result is i32 without the axis (or, keep_dims, with extent 1 there) and
// has no gradient. Of equal elements the first counts. NaN counts as more
// extreme than any number, as in NumPy: the result is the first NaN's place.
// Errors: no such axis; an axis of no elements, or of more than 2^31 - 1;
// numbers that are not floats.

#ifndef GYRE_AUTODIFF_OPS_ARG_REDUCE_H_
#define GYRE_AUTODIFF_OPS_ARG_REDUCE_H_

#include "gyre/autodiff/var.h"

namespace gyre {

Var argmax(Traced x, int axis, bool keep_dims = false);
Var argmin(Traced x, int axis, bool keep_dims = false);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_ARG_REDUCE_H_
