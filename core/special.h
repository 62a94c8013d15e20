// Special functions in double precision: the tails of the normal distribution
// and the gamma function, for the words of core/math_tails.h.
//
// The scaled tails I_n(x) = e^(x^2) i^n erfc(x) (repeated integrals, I_0 is
// erfcx) are each other's slopes, I_n' = -2 (n + 1) I_(n+1). They are positive,
// fall like x^-(n+1), and are computed without the differences that would
// define one by the other: right to some 16 units in the last place where the
// C library's erfc is.

#ifndef GYRE_CORE_SPECIAL_H_
#define GYRE_CORE_SPECIAL_H_

namespace gyre::internal::inline core::special {

// e^(-scale x^2), scale 1 or 1/2: with the rounding error of the square, which
// counts x^2 times in the result.
double ExpMinusSquare(double x, double scale);

// I_0, I_1, I_2.
double Erfcx(double x);
double Ierfcx(double x);
double I2erfcx(double x);
// log(erfc(x)).
double LogErfc(double x);

// The normal distribution function and its logarithm.
double Ndtr(double x);
double LogNdtr(double x);

// log |Gamma(x)|.
double LogGamma(double x);
// The derivatives of log Gamma: digamma is the first, polygamma(n, x) the
// (n + 1)-th. NaN for n that is no integer from 0 to 20, and, of n > 0, for
// x < -1e4; +-Inf or NaN at the poles 0, -1, -2, ...
double Digamma(double x);
double Polygamma(double n, double x);

}  // namespace gyre::internal::inline core::special

#endif  // GYRE_CORE_SPECIAL_H_
