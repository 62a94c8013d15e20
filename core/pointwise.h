// What a pointwise functor must offer, checked with a message that says what
// to write instead.
//
//   struct Huber { template <class T> T operator()(const T&, const T&) const;
//   }; static_assert(PointwiseFunctor<Huber, 2>);      // yes or no
//   CheckPointwiseFunctor<Huber, 2>();              // names the first failure
//
// pointwise() (autodiff/ops/pointwise.h) makes the check itself.
//
// WARNING 1: the functor must be a template over the number type (or take
// auto): it is called with traced values and, where the source is compiled for
// SIMD, with batches and duals of both.

#ifndef GYRE_CORE_POINTWISE_H_
#define GYRE_CORE_POINTWISE_H_

#include <cstddef>
#include <type_traits>
#include <utility>

#include "gyre/core/dual.h"
#include "gyre/core/pointwise_probe.h"
#include "gyre/core/simd.h"

namespace gyre::internal::inline core {
template <class F, class T, class Indices>
inline constexpr bool kCallable = false;
template <class F, class T, std::size_t... I>
inline constexpr bool kCallable<F, T, std::index_sequence<I...>> =
    std::is_invocable_r_v<T,
                          const F&,
                          decltype((void(I), std::declval<const T&>()))...>;

// Calls the functor with probes. Its type is asked for, and so the functor is
// compiled, but nothing runs.
template <class F, std::size_t... I>
auto CallWithProbes(const F& functor, std::index_sequence<I...>) {
  return functor((void(I), Probe<F>())...);
}

// F, called with kInputs numbers of type T, gives a T.
template <class F, int kInputs, class T>
inline constexpr bool kPointwiseFor =
    internal::kCallable<F, T, std::make_index_sequence<kInputs>>;

#ifdef GYRE_SIMD
template <class F, int kInputs>
inline constexpr bool kPointwiseForBatches =
    kPointwiseFor<F, kInputs, FloatBatch>&&
        kPointwiseFor<F, kInputs, DoubleBatch>&&
            kPointwiseFor<F, kInputs, Dual<FloatBatch, 1>>&&
                kPointwiseFor<F, kInputs, Dual<DoubleBatch, 1>>;
#else
template <class F, int kInputs>
inline constexpr bool kPointwiseForBatches = true;
#endif

template <class F, int kInputs>
concept PointwiseFunctor =
    kPointwiseFor<F, kInputs, float> && kPointwiseFor<F, kInputs, double> &&
    kPointwiseFor<F, kInputs, Dual<double, 1>> &&
    kPointwiseForBatches<F, kInputs>;

// As an error of the compiler.
template <class F, int kInputs>
constexpr bool CheckPointwiseFunctor() {
  constexpr bool kArity = kPointwiseFor<F, kInputs, float>;
  static_assert(kArity,
                "pointwise functor: operator() const must take as many numbers "
                "as there are inputs, and return a number");
  if constexpr (kArity) {
    constexpr bool kTemplate = kPointwiseFor<F, kInputs, internal::Probe<F>>;
    static_assert(kTemplate,
                  "pointwise functor: operator() must be a template over the "
                  "number type T, take T and return T: it gets more than "
                  "floats");
    if constexpr (kTemplate) {
      using Called = decltype(internal::CallWithProbes(
          std::declval<const F&>(), std::make_index_sequence<kInputs>()));
      static_assert(std::is_same_v<Called, internal::Probe<F>>,
                    "pointwise functor: return the number type T itself");
    }
  }
  return true;
}

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_POINTWISE_H_
