// How a word of core/math.h finds its meaning for a type.
//
// In this order: GyreMath(word, arguments...) of the arguments' namespace;
// the same after constants are lifted to the type they meet; the word's own
// Eval for the lane types of core/lanes.h.
//
//   // A type joins the vocabulary by overloads beside it:
//   Traced GyreMath(math::ExpFn, const Traced& x);
//   Traced GyreMath(math::PowFn, const Traced& a, const Traced& b);
//   Traced GyreMath(math::SelectFn, const TracedMask&, const Traced&,
//                   const Traced&);

#ifndef GYRE_CORE_MATH_DISPATCH_H_
#define GYRE_CORE_MATH_DISPATCH_H_

#include <type_traits>

#include "gyre/core/lanes.h"

namespace gyre::math {

// Lane types whose numbers are float, or double.
template <class V>
concept SingleLanes = internal::LaneType<V> &&
                      std::is_same_v < typename internal::Lanes<V>::Scalar,
float > ;
template <class V>
concept DoubleLanes = internal::LaneType<V> &&
                      std::is_same_v < typename internal::Lanes<V>::Scalar,
double > ;

template <class T>
concept Constant = std::is_arithmetic_v<T>;

// For a type that wants to know the line of the call: `type` is made of
// (value, file, line), and GyreMath is asked for it alone.
template <class T>
struct WithLine {
  using type = void;
};
template <class... T>
concept Lined = (!std::is_void_v<typename WithLine<T>::type> || ...);

namespace detail {

template <class A, class... Rest>
struct FirstLined {
  using type = typename WithLine<A>::type;
};
template <class A, class... Rest>
requires(!Lined<A>) struct FirstLined<A, Rest...> : FirstLined<Rest...> {
};
template <class... T>
using LinedT = typename FirstLined<T...>::type;

// The type two arguments meet in: the one that the other converts to. Two
// constants meet in float or double; an integer counts as double.
template <class A, class B>
struct Meet {
  static_assert(std::is_convertible_v<A, B> || std::is_convertible_v<B, A>,
                "these two types have no common type");
  using type = std::conditional_t<std::is_convertible_v<A, B>, B, A>;
};
template <class A>
struct Meet<A, A> {
  using type = A;
};
template <Constant A, Constant B>
requires(!std::is_same_v<A, B>) struct Meet<A, B> {
  using type = std::common_type_t<A, B>;
};

template <class T>
using Floating = std::conditional_t<std::is_integral_v<T>, double, T>;
template <class A, class B>
using MeetT = Floating<typename Meet<A, B>::type>;

// A mask of lanes makes lanes of the constants it chooses from.
template <class Mask, class R>
struct Chosen {
  using type = R;
};
#ifdef GYRE_SIMD
template <class T, class A, Constant R>
struct Chosen<xsimd::batch_bool<T, A>, R> {
  using type = xsimd::batch<T, A>;
};
#endif

}  // namespace detail

template <class Fn>
struct Unary {
  template <class T>
  requires(!Lined<T>) [[gnu::always_inline]] auto operator()(const T& x) const {
    if constexpr (requires { GyreMath(Fn{}, x); }) {
      return GyreMath(Fn{}, x);
    } else {
      return Fn::Eval(static_cast<detail::Floating<T>>(x));
    }
  }
  template <Lined T>
  auto operator()(const T& x,
                  const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) const {
    using L = detail::LinedT<T>;
    return GyreMath(Fn{}, L(x, file, line));
  }
};

template <class Fn>
struct Binary {
  template <class A, class B>
  requires(!Lined<A, B>) auto operator()(const A& a, const B& b) const {
    if constexpr (requires { GyreMath(Fn{}, a, b); }) {
      return GyreMath(Fn{}, a, b);
    } else {
      using R = detail::MeetT<A, B>;
      if constexpr (requires(const R& r) { GyreMath(Fn{}, r, r); }) {
        return GyreMath(Fn{}, static_cast<R>(a), static_cast<R>(b));
      } else {
        return Fn::Eval(static_cast<R>(a), static_cast<R>(b));
      }
    }
  }
  template <class A, class B>
  requires Lined<A, B>
  auto operator()(const A& a,
                  const B& b,
                  const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) const {
    using L = detail::LinedT<A, B>;
    return GyreMath(Fn{}, L(a, file, line), L(b, file, line));
  }
};

// select(mask, a, b): mask ? a : b, per lane. It never multiplies by the mask,
// so a NaN in the branch not taken stays there.
struct SelectFn {
  template <class Mask, class A, class B>
  requires Lined<Mask, A, B>
  auto operator()(const Mask& mask,
                  const A& a,
                  const B& b,
                  const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) const {
    using L = detail::LinedT<Mask, A, B>;
    return GyreMath(
        SelectFn{}, L(mask, file, line), L(a, file, line), L(b, file, line));
  }
  template <class Mask, class A, class B>
  requires(!Lined<Mask, A, B>) auto operator()(const Mask& mask,
                                               const A& a,
                                               const B& b) const {
    if constexpr (requires { GyreMath(SelectFn{}, mask, a, b); }) {
      return GyreMath(SelectFn{}, mask, a, b);
    } else {
      using R = typename detail::Chosen<Mask, detail::MeetT<A, B>>::type;
      if constexpr (std::is_same_v<Mask, bool>) {
        return mask ? static_cast<R>(a) : static_cast<R>(b);
      } else if constexpr (requires(const R& r) {
                             GyreMath(SelectFn{}, mask, r, r);
                           }) {
        return GyreMath(SelectFn{}, mask, static_cast<R>(a), static_cast<R>(b));
      } else {
        return internal::Lanes<R>::Select(
            mask, static_cast<R>(a), static_cast<R>(b));
      }
    }
  }
};

}  // namespace gyre::math

#endif  // GYRE_CORE_MATH_DISPATCH_H_
