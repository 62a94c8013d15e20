// Tails of the normal distribution and the gamma function: the part of
// core/math.h for likelihoods. Include core/math.h.
//
// Censored and truncated observations want log_ndtr and log_erfc: the
// logarithm of a tail that is itself too small for its type.
//
//   // The log of the chance to exceed a threshold, 40 deviations out, too.
//   const auto surprise = gyre::math::log_ndtr((mean - threshold) / deviation);

#ifndef GYRE_CORE_MATH_TAILS_H_
#define GYRE_CORE_MATH_TAILS_H_

#include <cmath>

#include "gyre/core/lanes.h"
#include "gyre/core/math_dispatch.h"
#include "gyre/core/math_erf.h"
#include "gyre/core/special.h"

namespace gyre::math {

// e^(-x^2).
struct GaussianFn : Unary<GaussianFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::ExpMinusSquare(x, 1.0f);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map(
        [](double a) { return internal::special::ExpMinusSquare(a, 1); }, x);
  }
};
inline constexpr GaussianFn gaussian{};

// e^(-x^2 / 2) / sqrt(2 pi), the density of the normal distribution.
struct NormalPdfFn : Unary<NormalPdfFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return V(0.398942280f) * internal::kernels::ExpMinusSquare(x, 0.5f);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return V(0.3989422804014327) *
           internal::Lanes<V>::Map(
               [](double a) {
                 return internal::special::ExpMinusSquare(a, 0.5);
               },
               x);
  }
};
inline constexpr NormalPdfFn normal_pdf{};

// 1 - erf(x), to its last digits however small.
struct ErfcFn : Unary<ErfcFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Erfc(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::erfc(a); }, x);
  }
};
inline constexpr ErfcFn erfc{};

// e^(x^2) erfc(x), which neither over- nor underflows for positive x.
struct ErfcxFn : Unary<ErfcxFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Erfcx(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map(
        [](double a) { return internal::special::Erfcx(a); }, x);
  }
};
inline constexpr ErfcxFn erfcx{};

// e^(x^2) times the integral of erfc from x on: erfcx' = -2 ierfcx.
struct IerfcxFn : Unary<IerfcxFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Ierfcx(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map(
        [](double a) { return internal::special::Ierfcx(a); }, x);
  }
};
inline constexpr IerfcxFn ierfcx{};

// The same once more: ierfcx' = -4 i2erfcx.
struct I2erfcxFn : Unary<I2erfcxFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::I2erfcx(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map(
        [](double a) { return internal::special::I2erfcx(a); }, x);
  }
};
inline constexpr I2erfcxFn i2erfcx{};

// log(erfc(x)).
struct LogErfcFn : Unary<LogErfcFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::LogErfc(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map(
        [](double a) { return internal::special::LogErfc(a); }, x);
  }
};
inline constexpr LogErfcFn log_erfc{};

// The normal distribution function, erfc(-x / sqrt(2)) / 2.
struct NdtrFn : Unary<NdtrFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Ndtr(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map(
        [](double a) { return internal::special::Ndtr(a); }, x);
  }
};
inline constexpr NdtrFn ndtr{};

// log(ndtr(x)).
struct LogNdtrFn : Unary<LogNdtrFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::LogNdtr(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map(
        [](double a) { return internal::special::LogNdtr(a); }, x);
  }
};
inline constexpr LogNdtrFn log_ndtr{};

// log |Gamma(x)|. This and its derivatives are computed in double, lane by
// lane.
struct LgammaFn : Unary<LgammaFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map(
        [](double a) { return internal::special::LogGamma(a); }, x);
  }
};
inline constexpr LgammaFn lgamma{};

struct DigammaFn : Unary<DigammaFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map(
        [](double a) { return internal::special::Digamma(a); }, x);
  }
};
inline constexpr DigammaFn digamma{};

// polygamma(n, x), the (n + 1)-th derivative of lgamma: n = 0 .. 20.
struct PolygammaFn : Binary<PolygammaFn> {
  template <internal::LaneType V>
  static V Eval(V n, V x) {
    return internal::Lanes<V>::Map(
        [](double a, double b) { return internal::special::Polygamma(a, b); },
        n,
        x);
  }
};
inline constexpr PolygammaFn polygamma{};

}  // namespace gyre::math

#endif  // GYRE_CORE_MATH_TAILS_H_
