// The mathematical vocabulary: one spelling for every kind of number.
//
//   namespace m = gyre::math;
//   struct Huber {
//     float delta = 1.0f;
//     template <class T>
//     T operator()(const T& pred, const T& target) const {
//       const T e = pred - target;
//       const T a = m::abs(e);
//       return m::select(a <= delta, 0.5f * e * e, delta * (a - 0.5f * delta));
//     }
//   };
//
// T may be float, double, a batch of either (core/simd.h), a dual number
// (core/dual.h), and any type that offers GyreMath(ExpFn{}, x), found by
// argument-dependent lookup: traced values and generated code join this way.
// The words are function objects, which lookup never confuses with xsimd's or
// the C library's functions of the same names.
//
// Precision: float uses core/math_kernels.h, the same bits for a scalar and a
// lane of a batch; double uses the C library, lane by lane.
//
// WARNING 1: `if (a < b)` cannot branch per lane. select is the only branch,
// and it evaluates both sides: keep each side inside its domain, or accept the
// NaN that a derivative can bring from the side not taken.
// WARNING 2: min and max propagate NaN, whichever operand holds it, and order
// -0 before +0: the operands' order never shows.
// WARNING 3: test for NaN with is_nan(x); the x != x of other libraries is
// false on xsimd's batches.
// WARNING 4: write constants as float (0.5f): with T = float a double constant
// lifts a scalar expression, and only that one, to double.

#ifndef GYRE_CORE_MATH_H_
#define GYRE_CORE_MATH_H_

#include "gyre/core/lanes.h"
#include "gyre/core/math_dispatch.h"
#include "gyre/core/math_elementary.h"
#include "gyre/core/math_tails.h"

namespace gyre::math {

inline constexpr SelectFn select{};

// --- parts of a number ------------------------------------------------------

struct AbsFn : Unary<AbsFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return internal::Lanes<V>::Abs(x);
  }
};
inline constexpr AbsFn abs{};

struct NegFn : Unary<NegFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return -x;
  }
};
inline constexpr NegFn neg{};

struct FloorFn : Unary<FloorFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return internal::Lanes<V>::Floor(x);
  }
};
inline constexpr FloorFn floor{};

struct CeilFn : Unary<CeilFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return internal::Lanes<V>::Ceil(x);
  }
};
inline constexpr CeilFn ceil{};

// To the nearest integer, halves to the even one.
struct RoundFn : Unary<RoundFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return internal::Lanes<V>::RoundEven(x);
  }
};
inline constexpr RoundFn round{};

// -1, 0 or 1; NaN of NaN. The zero keeps its sign.
struct SignFn : Unary<SignFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    using L = internal::Lanes<V>;
    const V low = L::Select(x < V(0), V(-1), x);
    return L::Select(x > V(0), V(1), low);
  }
};
inline constexpr SignFn sign{};

// Masks, for select.
struct IsNanFn : Unary<IsNanFn> {
  template <internal::LaneType V>
  static auto Eval(V x) {
    return !(x == x);
  }
};
inline constexpr IsNanFn is_nan{};

struct IsFiniteFn : Unary<IsFiniteFn> {
  template <internal::LaneType V>
  static auto Eval(V x) {
    return internal::IsFinite(x);
  }
};
inline constexpr IsFiniteFn is_finite{};

// --- choice -----------------------------------------------------------------

// With both operand orders, Or joins what they disagree on: zeros and NaN.
struct MinFn : Binary<MinFn> {
  template <internal::LaneType V>
  static V Eval(V a, V b) {
    using L = internal::Lanes<V>;
    return L::Or(L::RawMin(a, b), L::RawMin(b, a));
  }
};
inline constexpr MinFn min{};

struct MaxFn : Binary<MaxFn> {
  template <internal::LaneType V>
  static V Eval(V a, V b) {
    return -MinFn::Eval(-a, -b);
  }
};
inline constexpr MaxFn max{};

// max(x, 0) that lets NaN through; derivative 0 at 0.
struct ReluFn : Unary<ReluFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    return internal::Lanes<V>::RawMax(V(0), x);
  }
};
inline constexpr ReluFn relu{};

// x held in [lo, hi]; NaN stays NaN. The derivative is 1 on the bounds.
struct ClipFn {
  template <class T, class Lo, class Hi>
  requires(!Lined<T, Lo, Hi>) auto operator()(const T& x,
                                              const Lo& lo,
                                              const Hi& hi) const {
    return min(max(x, lo), hi);
  }
  template <class T, class Lo, class Hi>
  requires Lined<T, Lo, Hi>
  auto operator()(const T& x,
                  const Lo& lo,
                  const Hi& hi,
                  const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) const {
    return min(max(x, lo, file, line), hi, file, line);
  }
};
inline constexpr ClipFn clip{};

// --- activations and loss parts ---------------------------------------------

// x * sigmoid(x).
struct SiluFn : Unary<SiluFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Silu(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    // The root of the power, twice: the power alone may be subnormal.
    using L = internal::Lanes<V>;
    const V root = ExpFn::Eval(V(-0.5) * L::Abs(x));
    const V left = x * root * root;
    return L::Select(x < V(0.0), left, x) / (V(1.0) + root * root);
  }
};
inline constexpr SiluFn silu{};

// log(1 + e^x), without overflow.
struct SoftplusFn : Unary<SoftplusFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    const V tail = Log1pFn::Eval(ExpFn::Eval(-internal::Lanes<V>::Abs(x)));
    return ReluFn::Eval(x) + tail;
  }
};
inline constexpr SoftplusFn softplus{};

// x * Phi(x), Phi the normal distribution function (ndtr).
struct GeluFn : Unary<GeluFn> {
  template <SingleLanes V>
  static V Eval(V x) {
    return internal::kernels::Gelu(x);
  }
  template <DoubleLanes V>
  static V Eval(V x) {
    return x * NdtrFn::Eval(x);
  }
};
inline constexpr GeluFn gelu{};

// The usual approximation of gelu by tanh, written with a sigmoid, which
// keeps its digits for negative x.
struct GeluTanhFn : Unary<GeluTanhFn> {
  template <internal::LaneType V>
  static V Eval(V x) {
    const V cubic = x * x * V(0.044715) + V(1);
    return x * SigmoidFn::Eval(x * V(1.5957691216057308) * cubic);
  }
};
inline constexpr GeluTanhFn gelu_tanh{};

// x * log(y), and 0 where x is 0, whatever y; NaN if either is NaN.
struct XlogyFn : Binary<XlogyFn> {
  template <internal::LaneType V>
  static V Eval(V x, V y) {
    using L = internal::Lanes<V>;
    const V zero = L::Select(y == y, V(0), y);
    return L::Select(x == V(0), zero, x * LogFn::Eval(y));
  }
};
inline constexpr XlogyFn xlogy{};

}  // namespace gyre::math

#endif  // GYRE_CORE_MATH_H_
