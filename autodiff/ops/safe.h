// Functions with a singular point, made safe: the value there is stated, and
// the gradient there is exactly 0.
//
//   Var speed = safe_norm(wind, {-1});     // calm air has gradient 0, not NaN
//   Var rel = safe_div(error, total);      // 0 where the total is 0
//
// Each has the double select inside: the argument is replaced before the
// function and its result after it, so neither the value nor the gradient of
// the branch that is not taken can be NaN.
//
// WARNING 1: a NaN operand is no singular point: it gives NaN, as it should.
// WARNING 2: the guard hides the true slope (infinite for sqrt at 0). Where
// the optimum lies at the singular point, add a small number instead.

#ifndef GYRE_AUTODIFF_OPS_SAFE_H_
#define GYRE_AUTODIFF_OPS_SAFE_H_

#include <vector>

#include "gyre/autodiff/var.h"

namespace gyre {

// sqrt(x); 0 where x <= 0.
Var safe_sqrt(Traced x);
// log(x); `at_guard` where x <= 0.
Var safe_log(Traced x, double at_guard = 0);
// a / b; `at_guard` where b is 0. Broadcasts.
Var safe_div(Traced a, Traced b, double at_guard = 0);

// sqrt(sum of x^2 over the axes); 0 for a vector of zeros or of none. The
// squares are of x divided by the largest |x|, so that 1e30 in f32 does not
// overflow and 1e-30 does not vanish. Gradient: x / norm.
Var safe_norm(Traced x, std::vector<int> axes, bool keep_dims = false);
// sqrt(x^2 + y^2) in the same way; (0, 0) has gradient 0. Broadcasts.
Var hypot(Traced x, Traced y);

// floor + log(1 + exp(x)): a positive number, never below the floor, whose
// slope never dies: for standard deviations and other scales.
// Error: a floor that is negative or not finite.
Var softplus(Traced x, double floor);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_SAFE_H_
