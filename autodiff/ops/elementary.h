// Elementwise functions made of those in elementwise.h.

#ifndef GYRE_AUTODIFF_OPS_ELEMENTARY_H_
#define GYRE_AUTODIFF_OPS_ELEMENTARY_H_

#include "gyre/autodiff/var.h"

namespace gyre {

// bool: true for NaN. No gradient.
Var is_nan(Traced x);
// log(x) / log(10). Gradient: 1 / (x log 10).
Var log10(Traced x);
// The real cube root, of negative numbers too, by pow(|x|, 1/3): right to a few
// units in the last place, some more for very large and very small numbers.
// Gradient: 1 / (3 cbrt(x)^2), and 0 at 0, where the slope is infinite.
Var cbrt(Traced x);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_ELEMENTARY_H_
