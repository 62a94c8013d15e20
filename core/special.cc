#include "gyre/core/special.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gyre::internal::inline core::special {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSqrtHalf = std::numbers::sqrt2 / 2;
// From here on the continued fraction is short, and differences would cancel.
constexpr double kFractionFrom = 1.0;

// e^(sign scale x^2) for finite x^2.
double ExpSquare(double x, double scale) {
  const double square = x * x;
  const double rest = std::fma(x, x, -square);
  const double y = std::exp(scale * square);
  // Where the power is out of range there is nothing to correct.
  return y == 0 || y > std::numeric_limits<double>::max()
             ? y
             : std::fma(y, scale * rest, y);
}

// I_n(x) / I_(n-1)(x) for x >= kFractionFrom: 1 / (2x + 2(n+1) r_(n+1)), all
// terms positive.
double TailRatio(int n, double x) {
  const int terms = x < 3 ? 400 : x < 30 ? 60 : 8;
  double r = 0;
  for (int k = n + terms; k >= n; --k) r = 1 / (2 * x + 2 * (k + 1) * r);
  return r;
}

// The Bernoulli numbers B_2k, k = 1 .. 10.
constexpr double kBernoulli[] = {1.0 / 6,
                                 -1.0 / 30,
                                 1.0 / 42,
                                 -1.0 / 30,
                                 5.0 / 66,
                                 -691.0 / 2730,
                                 7.0 / 6,
                                 -3617.0 / 510,
                                 43867.0 / 798,
                                 -174611.0 / 330};

bool IsPole(double x) { return x <= 0 && x == std::floor(x); }

// cot(pi x), which keeps its digits near integers.
double CotPi(double x) {
  const double r = x - std::nearbyint(x);
  return 1 / std::tan(std::numbers::pi * r);
}

}  // namespace

double ExpMinusSquare(double x, double scale) {
  const double bounded = std::abs(x) > 40 ? 40 : x;  // e^-800 is 0
  return ExpSquare(bounded, -scale);
}

double Erfcx(double x) {
  if (x < -27) return kInf;
  if (x < 26) return ExpSquare(x, 1) * std::erfc(x);
  // NaN comes here, too. 1 - 1/(2x^2) + 3/(4x^4) - ...
  const double z = 0.5 / x / x;
  double series = 1;
  for (int k = 13; k >= 1; k -= 2) series = 1 - k * z * series;
  return series / x * (std::numbers::inv_sqrtpi);
}

double Ierfcx(double x) {
  if (x >= kFractionFrom) return Erfcx(x) * TailRatio(1, x);
  return std::numbers::inv_sqrtpi - x * Erfcx(x);
}

double I2erfcx(double x) {
  if (x >= kFractionFrom) return Ierfcx(x) * TailRatio(2, x);
  return 0.25 * (Erfcx(x) - 2 * x * Ierfcx(x));
}

double LogErfc(double x) {
  if (x < 0.7) return std::log1p(-std::erf(x));
  return std::log(Erfcx(x)) - x * x;
}

double Ndtr(double x) {
  if (x > -0.5) return 0.5 + 0.5 * std::erf(x * kSqrtHalf);
  if (x < -39) return 0;
  return 0.5 * ExpMinusSquare(x, 0.5) * Erfcx(-x * kSqrtHalf);
}

double LogNdtr(double x) {
  if (x > -0.6) return std::log1p(-Ndtr(-x));
  return std::fma(
      -0.5 * x, x, std::log(Erfcx(-x * kSqrtHalf)) - std::numbers::ln2);
}

double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double Digamma(double x) {
  if (std::isnan(x) || x == -kInf) return kNan;
  if (x == kInf) return kInf;
  if (x == 0) return std::copysign(kInf, -x);
  if (IsPole(x)) return kNan;
  if (x < 0) return Digamma(1 - x) - std::numbers::pi * CotPi(x);
  double down = 0;
  for (; x < 12; x += 1) down += 1 / x;
  const double z = 1 / x / x;
  double series = 0;
  for (int k = 9; k >= 0; --k) {
    series = z * (series + kBernoulli[k] / (2 * (k + 1)));
  }
  return std::log(x) - 0.5 / x - series - down;
}

double Polygamma(double order, double x) {
  const int n = order >= 0 && order <= 20 ? static_cast<int>(order) : -1;
  if (n != order || std::isnan(x)) return kNan;
  if (n == 0) return Digamma(x);
  if (!(x > -1e4)) return kNan;
  const double sign = n % 2 == 1 ? 1 : -1;
  if (x == kInf) return sign * 0.0;
  if (IsPole(x)) return n % 2 == 1 ? kInf : kNan;
  // n! sum over k of (x + k)^-(n+1): terms one by one, then Euler-Maclaurin.
  const double factorial = std::tgamma(n + 1.0);
  double sum = 0;
  for (; x < 12 + n; x += 1) sum += std::pow(x, -(n + 1));
  double tail = 0;
  double rising = (n + 1) / 2.0;  // (n+1) (n+2) ... (n+2k-1) / (2k)!
  const double z = 1 / x / x;
  double power = z;
  for (int k = 1; k <= 10; ++k) {
    tail += kBernoulli[k - 1] * rising * power;
    power *= z;
    rising *= (n + 2.0 * k) * (n + 2.0 * k + 1);
    rising /= (2.0 * k + 1) * (2.0 * k + 2);
  }
  // x^-n / n + x^-(n+1) / 2 + x^-n (...)
  const double shape = 1.0 / n + 0.5 / x + tail;
  return sign * factorial * (sum + std::pow(x, -n) * shape);
}

}  // namespace gyre::internal::inline core::special
