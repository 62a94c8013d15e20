// The number that finds out what a pointwise functor does wrong, and says so
// in a sentence: the compiler's own words about vectors are long.
//
// It takes what every number of a functor takes: operators, plain constants
// and the words of namespace math. What only a float can do, it refuses. For
// core/pointwise.h.

#ifndef GYRE_CORE_POINTWISE_PROBE_H_
#define GYRE_CORE_POINTWISE_PROBE_H_

#include <concepts>
#include <type_traits>

#include "gyre/core/math.h"

namespace gyre::internal::inline core {

template <class...>
inline constexpr bool kNever = false;

// Refusals. A function that promises one as its noexcept is refused where it
// is called, before anything else of the functor is compiled.
template <class F>
constexpr bool RefuseOneNumber() {
  static_assert(kNever<F>,
                "pointwise functor: a function of std:: takes one number, and "
                "there are many: use the word of gyre::math (math::log)");
  return true;
}
template <class F>
constexpr bool RefuseOneAnswer() {
  static_assert(kNever<F>,
                "pointwise functor: if, ?:, && and || ask one question, and "
                "each element has its own answer: use math::select");
  return true;
}
template <class F>
constexpr bool RefuseMadeNumber() {
  static_assert(kNever<F>,
                "pointwise functor: T is made from no constant: write the "
                "constant itself, 0.5f and not T(0.5f)");
  return true;
}

// What a comparison gives.
template <class F>
struct ProbeMask {
  template <std::same_as<bool> B>
  explicit operator B() const noexcept(RefuseOneAnswer<F>()) {
    return false;
  }
};

// F: the functor that is looked at.
template <class F>
struct Probe {
  Probe() = default;
  template <math::Constant S>
  explicit Probe(S) noexcept(RefuseMadeNumber<F>()) {}

  template <std::same_as<double> D>
  operator D() const noexcept(RefuseOneNumber<F>()) {
    return 0;
  }
};

// A number of the probe beside another, or beside a constant.
template <class A, class F>
concept ProbedBy = std::same_as<A, Probe<F>> || math::Constant<A>;
template <class F>
struct ProbeOf {};
template <class F>
struct ProbeOf<Probe<F>> {
  using type = F;
};
template <class A, class B>
struct PairOf : ProbeOf<B> {};
template <class F, class B>
requires ProbedBy<B, F>
struct PairOf<Probe<F>, B> {
  using type = F;
};
template <class A, class B>
using FunctorOf = typename PairOf<A, B>::type;

#define GYRE_PROBE_OPERATOR(op, Result)                  \
  template <class A, class B, class F = FunctorOf<A, B>> \
  requires ProbedBy<A, F> && ProbedBy<B, F> Result<F>    \
  operator op(const A&, const B&) { return {}; }
GYRE_PROBE_OPERATOR(+, Probe)
GYRE_PROBE_OPERATOR(-, Probe)
GYRE_PROBE_OPERATOR(*, Probe)
GYRE_PROBE_OPERATOR(/, Probe)
GYRE_PROBE_OPERATOR(<, ProbeMask)
GYRE_PROBE_OPERATOR(<=, ProbeMask)
GYRE_PROBE_OPERATOR(>, ProbeMask)
GYRE_PROBE_OPERATOR(>=, ProbeMask)
GYRE_PROBE_OPERATOR(==, ProbeMask)
GYRE_PROBE_OPERATOR(!=, ProbeMask)
#undef GYRE_PROBE_OPERATOR

template <class F>
Probe<F> operator-(const Probe<F>&) {
  return {};
}

// The words of namespace math.
template <class Fn, class F>
auto GyreMath(Fn, const Probe<F>&) {
  constexpr bool kAsks =
      std::same_as<Fn, math::IsNanFn> || std::same_as<Fn, math::IsFiniteFn>;
  return std::conditional_t<kAsks, ProbeMask<F>, Probe<F>>{};
}
template <class Fn, class A, class B, class F = FunctorOf<A, B>>
requires ProbedBy<A, F> && ProbedBy<B, F> Probe<F> GyreMath(Fn,
                                                            const A&,
                                                            const B&) {
  return {};
}
template <class F, ProbedBy<F> A, ProbedBy<F> B>
Probe<F> GyreMath(math::SelectFn, const ProbeMask<F>&, const A&, const B&) {
  return {};
}

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_POINTWISE_PROBE_H_
