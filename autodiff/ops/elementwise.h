// Elementwise operations, with NumPy's broadcasting.
//
//   Var y = select(x > 0, x, exp(x) - 1);      // numbers mix with Vars
//
// Types: bf16, f16 and f32 compute in f32, f64 in f64; a mask or an integer
// takes the type of the float beside it; f32 and f64 do not mix (use cast).
// Comparisons and logical operations give bool.
//
// Gradients at kinks: abs'(0) = 0, relu'(0) = 0; maximum and minimum give the
// whole gradient to the first operand where the two are equal.
//
// WARNING 1: a branch that select() does not choose is still computed, and so
// is its gradient: guard the argument (safe_log, safe_sqrt, safe_div), or the
// chosen branch gets 0 * NaN.

#ifndef GYRE_AUTODIFF_OPS_ELEMENTWISE_H_
#define GYRE_AUTODIFF_OPS_ELEMENTWISE_H_

#include "gyre/autodiff/var.h"

namespace gyre {

Var operator+(Traced a, Traced b);
Var operator-(Traced a, Traced b);
Var operator*(Traced a, Traced b);
Var operator/(Traced a, Traced b);
Var operator-(Traced a);

Var operator<(Traced a, Traced b);
Var operator<=(Traced a, Traced b);
Var operator>(Traced a, Traced b);
Var operator>=(Traced a, Traced b);
Var operator==(Traced a, Traced b);
Var operator!=(Traced a, Traced b);
// Of numbers or masks; anything but 0 is true.
Var logical_and(Traced a, Traced b);
Var logical_or(Traced a, Traced b);
Var logical_not(Traced a);

Var abs(Traced x);
Var sign(Traced x);
Var square(Traced x);
Var sqrt(Traced x);
Var rsqrt(Traced x);
Var reciprocal(Traced x);
Var exp(Traced x);
Var expm1(Traced x);
Var log(Traced x);
Var log1p(Traced x);
Var log2(Traced x);
Var sin(Traced x);
Var cos(Traced x);
Var tan(Traced x);
Var asin(Traced x);
Var acos(Traced x);
Var atan(Traced x);
Var sinh(Traced x);
Var cosh(Traced x);
Var tanh(Traced x);
Var sech2(Traced x);  // 1 / cosh(x)^2, the slope of tanh
Var sigmoid(Traced x);
Var relu(Traced x);
Var silu(Traced x);
Var gelu(Traced x);       // x * Phi(x), with erf
Var gelu_tanh(Traced x);  // the tanh approximation
Var softplus(Traced x);   // log(1 + exp(x)), without overflow
Var floor(Traced x);      // these three have gradient 0
Var ceil(Traced x);
Var round(Traced x);  // halves to even
// The normal distribution, right to its last digits however far out: the
// likelihood of a value beyond a threshold is log_ndtr of its distance.
Var erf(Traced x);
Var erfc(Traced x);        // 1 - erf(x)
Var erfcx(Traced x);       // exp(x^2) erfc(x); grows beyond all on the left
Var ierfcx(Traced x);      // exp(x^2) times erfc integrated from x to infinity
Var i2erfcx(Traced x);     // integrated twice; its slope is poor beyond 3
Var log_erfc(Traced x);    // log(erfc(x)); about -x^2 on the right
Var ndtr(Traced x);        // the distribution function, erfc(-x / sqrt(2)) / 2
Var log_ndtr(Traced x);    // log(ndtr(x)); about -x^2 / 2 on the left
Var gaussian(Traced x);    // exp(-x^2)
Var normal_pdf(Traced x);  // exp(-x^2 / 2) / sqrt(2 pi)
// The gamma function, for likelihoods of counts and rain: log |Gamma(x)|, its
// derivative, and its (n + 1)-th derivative, n = 0 .. 20. polygamma is NaN for
// x < -1e4, and has no gradient by n.
Var lgamma(Traced x);
Var digamma(Traced x);
Var polygamma(Traced n, Traced x);
Var is_finite(Traced x);  // bool, asked of the bits
Var atan2(Traced y, Traced x);
Var xlogy(Traced x, Traced y);  // x log y, and 0 where x is 0
Var pow(Traced x, Traced exponent);
Var maximum(Traced a, Traced b);  // NaN in either operand gives NaN
Var minimum(Traced a, Traced b);
Var clip(Traced x, double low, double high);

// a where condition holds, b elsewhere. Never multiplies by a mask.
Var select(Traced condition, Traced a, Traced b);

Var zeros_like(Traced x);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_ELEMENTWISE_H_
