// Exponentials, logarithms, powers and angles: the part of core/math.h that
// has kernels behind it. Include core/math.h.

#ifndef GYRE_CORE_MATH_ELEMENTARY_H_
#define GYRE_CORE_MATH_ELEMENTARY_H_

#include <cmath>

#include "gyre/core/lanes.h"
#include "gyre/core/math_dispatch.h"
#include "gyre/core/math_kernels.h"
#include "gyre/core/math_power.h"
#include "gyre/core/math_trig.h"

namespace gyre::math {

struct ExpFn : Unary<ExpFn> {
  template <SingleLanes V>
  [[gnu::always_inline]] static V Eval(V x) {
    return internal::kernels::Exp(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::exp(a); }, x);
  }
};
inline constexpr ExpFn exp{};

struct Expm1Fn : Unary<Expm1Fn> {
  template <SingleLanes V>
  [[gnu::always_inline]] static V Eval(V x) {
    return internal::kernels::Expm1(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::expm1(a); }, x);
  }
};
inline constexpr Expm1Fn expm1{};

struct LogFn : Unary<LogFn> {
  template <SingleLanes V>
  [[gnu::always_inline]] static V Eval(V x) {
    return internal::kernels::Log(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::log(a); }, x);
  }
};
inline constexpr LogFn log{};

struct Log1pFn : Unary<Log1pFn> {
  template <SingleLanes V>
  [[gnu::always_inline]] static V Eval(V x) {
    return internal::kernels::Log1p(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::log1p(a); }, x);
  }
};
inline constexpr Log1pFn log1p{};

struct Log2Fn : Unary<Log2Fn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Log2(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::log2(a); }, x);
  }
};
inline constexpr Log2Fn log2{};

struct SinFn : Unary<SinFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Sin(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::sin(a); }, x);
  }
};
inline constexpr SinFn sin{};

struct CosFn : Unary<CosFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Cos(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::cos(a); }, x);
  }
};
inline constexpr CosFn cos{};

struct TanFn : Unary<TanFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Tan(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::tan(a); }, x);
  }
};
inline constexpr TanFn tan{};

struct AsinFn : Unary<AsinFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Asin(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::asin(a); }, x);
  }
};
inline constexpr AsinFn asin{};

struct AcosFn : Unary<AcosFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Acos(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::acos(a); }, x);
  }
};
inline constexpr AcosFn acos{};

struct AtanFn : Unary<AtanFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Atan(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::atan(a); }, x);
  }
};
inline constexpr AtanFn atan{};

struct SinhFn : Unary<SinhFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Sinh(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::sinh(a); }, x);
  }
};
inline constexpr SinhFn sinh{};

struct CoshFn : Unary<CoshFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Cosh(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::cosh(a); }, x);
  }
};
inline constexpr CoshFn cosh{};

struct TanhFn : Unary<TanhFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Tanh(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::tanh(a); }, x);
  }
};
inline constexpr TanhFn tanh{};

// 1 / cosh(x)^2, the slope of tanh.
struct Sech2Fn : Unary<Sech2Fn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Sech2(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    const V z = ExpFn::Eval(V(-2.0) * internal::Lanes<V>::Abs(x));
    const V sum = V(1.0) + z;
    return V(4.0) * z / (sum * sum);
  }
};
inline constexpr Sech2Fn sech2{};

struct ErfFn : Unary<ErfFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Erf(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return internal::Lanes<V>::Map([](double a) { return std::erf(a); }, x);
  }
};
inline constexpr ErfFn erf{};

// 1 / (1 + e^-x).
struct SigmoidFn : Unary<SigmoidFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Sigmoid(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    const V z = ExpFn::Eval(-internal::Lanes<V>::Abs(x));
    return internal::Lanes<V>::Select(x < V(0.0), z, V(1.0)) / (V(1.0) + z);
  }
};
inline constexpr SigmoidFn sigmoid{};

struct SqrtFn : Unary<SqrtFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return internal::Lanes<V>::Sqrt(x);
  }
};
inline constexpr SqrtFn sqrt{};

struct RsqrtFn : Unary<RsqrtFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return V(1) / internal::Lanes<V>::Sqrt(x);
  }
};
inline constexpr RsqrtFn rsqrt{};

struct SquareFn : Unary<SquareFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return x * x;
  }
};
inline constexpr SquareFn square{};

struct ReciprocalFn : Unary<ReciprocalFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return V(1) / x;
  }
};
inline constexpr ReciprocalFn reciprocal{};

// x^y.
struct PowFn : Binary<PowFn> {
  template <SingleLanes V>
  static V Eval(V x, V y) {
    return internal::kernels::Pow(x, y);
  }
  template <DoubleLanes V>
  static V Eval(V x, V y) {
    return internal::Lanes<V>::Map(
        [](double a, double b) { return std::pow(a, b); }, x, y);
  }
};
inline constexpr PowFn pow{};

// The angle of the point (x, y), in (-pi, pi].
struct Atan2Fn : Binary<Atan2Fn> {
  template <SingleLanes V>
  static V Eval(V y, V x) {
    return internal::kernels::Atan2(y, x);
  }
  template <DoubleLanes V>
  static V Eval(V y, V x) {
    return internal::Lanes<V>::Map(
        [](double a, double b) { return std::atan2(a, b); }, y, x);
  }
};
inline constexpr Atan2Fn atan2{};

}  // namespace gyre::math

#endif  // GYRE_CORE_MATH_ELEMENTARY_H_
