// The derivative of each word of one number in core/math.h.
//
//   SlopeOf(math::SinFn{}, x, y)      // cos(x); y is sin(x), if that helps
//
// One formula serves dual numbers (core/dual_math.h) and gradients on a tape
// (autodiff/ops/elementwise_vjp.cc), so V is a lane type or a traced value.
// What a formula has to keep: its own derivative must be right, too. So no
// difference of numbers that are nearly equal, far out or near a zero, and no
// product of 0 and something that overflows, in the branch not taken either.

#ifndef GYRE_CORE_MATH_SLOPES_H_
#define GYRE_CORE_MATH_SLOPES_H_

#include "gyre/core/math.h"

namespace gyre::internal::inline core {

// A constant of a formula: as V has it, or for V to take.
template <class V>
auto Number(double c) {
  if constexpr (LaneType<V>) {
    return V(static_cast<typename Lanes<V>::Scalar>(c));
  } else {
    return c;
  }
}

// x held where e^(-x^2 / 2) is a number: beyond it all products with that are
// 0, and x itself may be too large to be multiplied.
template <class V>
V WherePowersAre(const V& x) {
  return math::max(math::min(x, Number<V>(40)), Number<V>(-40));
}

// `floor` is a bound that y keeps by itself: said, so that what divides by y is
// no Infinity of its own where an Infinity came in, and made y 0.
template <class V>
V AtLeast(const V& y, double floor) {
  return math::max(y, Number<V>(floor));
}

// The slope of a staircase: 0, which nothing need be multiplied with.
struct Flat {};

// --- parts of a number ------------------------------------------------------

template <class V>
V SlopeOf(math::AbsFn, const V& x, const V&) {
  return math::sign(x);
}
template <class V>
Flat SlopeOf(math::SignFn, const V&, const V&) {
  return {};
}
template <class V>
Flat SlopeOf(math::FloorFn, const V&, const V&) {
  return {};
}
template <class V>
Flat SlopeOf(math::CeilFn, const V&, const V&) {
  return {};
}
template <class V>
Flat SlopeOf(math::RoundFn, const V&, const V&) {
  return {};
}

// --- exponentials, logarithms, roots ----------------------------------------

template <class V>
V SlopeOf(math::ExpFn, const V&, const V& y) {
  return y;
}
// Not y + 1, which is 0 from -17 on.
template <class V>
V SlopeOf(math::Expm1Fn, const V& x, const V&) {
  return math::exp(x);
}
template <class V>
V SlopeOf(math::LogFn, const V& x, const V&) {
  return Number<V>(1) / x;
}
template <class V>
V SlopeOf(math::Log1pFn, const V& x, const V&) {
  return Number<V>(1) / (Number<V>(1) + x);
}
template <class V>
V SlopeOf(math::Log2Fn, const V& x, const V&) {
  return Number<V>(1.4426950408889634) / x;
}
template <class V>
V SlopeOf(math::SqrtFn, const V&, const V& y) {
  return Number<V>(0.5) / y;
}
template <class V>
V SlopeOf(math::RsqrtFn, const V& x, const V& y) {
  return Number<V>(-0.5) * y / x;
}
template <class V>
V SlopeOf(math::SquareFn, const V& x, const V&) {
  return Number<V>(2) * x;
}
template <class V>
V SlopeOf(math::ReciprocalFn, const V&, const V& y) {
  return -(y * y);
}

// --- angles and hyperbolic functions ----------------------------------------

template <class V>
V SlopeOf(math::SinFn, const V& x, const V&) {
  return math::cos(x);
}
template <class V>
V SlopeOf(math::CosFn, const V& x, const V&) {
  return -math::sin(x);
}
template <class V>
V SlopeOf(math::TanFn, const V&, const V& y) {
  return Number<V>(1) + y * y;
}
// 1 - x^2 near 0, where its slope keeps the digits of x; as a product near 1.
template <class V>
V OneMinusSquare(const V& x) {
  return math::select(math::abs(x) < Number<V>(0.5),
                      Number<V>(1) - x * x,
                      (Number<V>(1) - x) * (Number<V>(1) + x));
}
template <class V>
V SlopeOf(math::AsinFn, const V& x, const V&) {
  return math::rsqrt(OneMinusSquare(x));
}
template <class V>
V SlopeOf(math::AcosFn, const V& x, const V&) {
  return -math::rsqrt(OneMinusSquare(x));
}
// 1 / (1 + x^2), in 1 / x where the square would overflow.
template <class V>
V SlopeOf(math::AtanFn, const V& x, const V&) {
  const auto steep = math::abs(x) > Number<V>(1);
  const V large = math::select(steep, x, Number<V>(1));
  const V r = math::select(steep, Number<V>(1) / large, x);
  const V y = Number<V>(1) / (Number<V>(1) + r * r);
  return math::select(steep, r * r * y, y);
}
template <class V>
V SlopeOf(math::SinhFn, const V& x, const V&) {
  return math::cosh(x);
}
template <class V>
V SlopeOf(math::CoshFn, const V& x, const V&) {
  return math::sinh(x);
}
// Not 1 - y^2, which is 0 from 9 on.
template <class V>
V SlopeOf(math::TanhFn, const V& x, const V&) {
  return math::sech2(x);
}
template <class V>
V SlopeOf(math::Sech2Fn, const V& x, const V& y) {
  return Number<V>(-2) * y * math::tanh(x);
}

// --- activations ------------------------------------------------------------

// For those who multiply; a gradient that is selected needs no slope.
template <class V>
V SlopeOf(math::ReluFn, const V& x, const V&) {
  return math::select(x <= Number<V>(0), Number<V>(0), Number<V>(1));
}

// Not y (1 - y), which is 0 from 17 on.
template <class V>
V SlopeOf(math::SigmoidFn, const V& x, const V&) {
  return Number<V>(0.25) * math::sech2(Number<V>(0.5) * x);
}
template <class V>
V SlopeOf(math::SiluFn, const V& x, const V& y) {
  return math::sigmoid(x) + y * math::sigmoid(-x);
}
template <class V>
V SlopeOf(math::SoftplusFn, const V& x, const V&) {
  return math::sigmoid(x);
}
template <class V>
V SlopeOf(math::GeluFn, const V& x, const V&) {
  return math::ndtr(x) + WherePowersAre(x) * math::normal_pdf(x);
}
// Beyond 30 the slope is 0 or 1 in any type, and x^3 would overflow.
template <class V>
V SlopeOf(math::GeluTanhFn, const V& x, const V&) {
  const V near = math::max(math::min(x, Number<V>(30)), Number<V>(-30));
  const V square = near * near;
  const V u = Number<V>(1.5957691216057308) * near *
              (Number<V>(1) + Number<V>(0.044715) * square);
  const V du = Number<V>(1.5957691216057308) *
               (Number<V>(1) + Number<V>(0.134145) * square);
  return math::sigmoid(u) * (Number<V>(1) + near * du * math::sigmoid(-u));
}

// --- the normal distribution ------------------------------------------------

template <class V>
V SlopeOf(math::ErfFn, const V& x, const V&) {
  return Number<V>(1.1283791670955126) * math::gaussian(x);
}
template <class V>
V SlopeOf(math::ErfcFn, const V& x, const V&) {
  return Number<V>(-1.1283791670955126) * math::gaussian(x);
}
template <class V>
V SlopeOf(math::GaussianFn, const V& x, const V& y) {
  return Number<V>(-2) * WherePowersAre(x) * y;
}
template <class V>
V SlopeOf(math::NormalPdfFn, const V& x, const V& y) {
  return -(WherePowersAre(x) * y);
}
template <class V>
V SlopeOf(math::ErfcxFn, const V& x, const V&) {
  return Number<V>(-2) * math::ierfcx(x);
}
template <class V>
V SlopeOf(math::IerfcxFn, const V& x, const V&) {
  return Number<V>(-4) * math::i2erfcx(x);
}
// A third slope of erfcx, and the last: it loses digits from 3 on.
template <class V>
V SlopeOf(math::I2erfcxFn, const V& x, const V& y) {
  return Number<V>(2) * x * y - math::ierfcx(x);
}
// -(2/sqrt(pi)) e^(-x^2) / erfc(x), for positive x by the scaled tail, and by
// its first two terms where the square of its inverse would overflow.
template <class V>
V SlopeOf(math::LogErfcFn, const V& x, const V&) {
  const V left = math::min(WherePowersAre(x), Number<V>(0));
  const V right = math::min(math::max(x, Number<V>(0)), Number<V>(1e4));
  const V far = math::max(x, Number<V>(1e4));
  const V near =
      Number<V>(-1.1283791670955126) *
      math::select(x < Number<V>(0),
                   math::gaussian(left) / AtLeast(math::erfc(left), 1),
                   Number<V>(1) / AtLeast(math::erfcx(right), 1e-5));
  return math::select(
      x > Number<V>(1e4), Number<V>(-2) * far - Number<V>(1) / far, near);
}
template <class V>
V SlopeOf(math::NdtrFn, const V& x, const V&) {
  return math::normal_pdf(x);
}
// The inverse of Mills' ratio: about -x - 1/x far on the left.
template <class V>
V SlopeOf(math::LogNdtrFn, const V& x, const V&) {
  const V left = math::max(math::min(x, Number<V>(0)), Number<V>(-1e4));
  const V right = math::max(WherePowersAre(x), Number<V>(0));
  const V far = math::min(x, Number<V>(-1e4));
  const V near = math::select(
      x > Number<V>(0),
      math::normal_pdf(right) / AtLeast(math::ndtr(right), 0.5),
      Number<V>(0.7978845608028654) /
          AtLeast(math::erfcx(Number<V>(-0.70710678118654752) * left), 1e-5));
  return math::select(x < Number<V>(-1e4), -far - Number<V>(1) / far, near);
}

// --- the gamma function -----------------------------------------------------

template <class V>
V SlopeOf(math::LgammaFn, const V& x, const V&) {
  return math::digamma(x);
}
template <class V>
V SlopeOf(math::DigammaFn, const V& x, const V&) {
  return math::polygamma(Number<V>(1), x);
}

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_MATH_SLOPES_H_
