// What a pointwise functor must offer, checked with a message that says which
// kind of number it failed for.
//
//   struct Huber { template <class T> T operator()(const T&, const T&) const;
//   }; static_assert(PointwiseFunctor<Huber, 2>);      // yes or no
//   CheckPointwiseFunctor<Huber, 2>();              // names the first failure
//
// WARNING 1: the functor must be a template over the number type (or take
// auto): it is called with scalars, batches and duals of both.

#ifndef GYRE_CORE_POINTWISE_H_
#define GYRE_CORE_POINTWISE_H_

#include <cstddef>
#include <type_traits>
#include <utility>

#include "gyre/core/dual.h"
#include "gyre/core/simd.h"

namespace gyre {
namespace internal {

template <class F, class T, class Indices>
inline constexpr bool kCallable = false;
template <class F, class T, std::size_t... I>
inline constexpr bool kCallable<F, T, std::index_sequence<I...>> =
    std::is_invocable_r_v<T,
                          const F&,
                          decltype((void(I), std::declval<const T&>()))...>;

}  // namespace internal

// F, called with kInputs numbers of type T, gives a T.
template <class F, int kInputs, class T>
inline constexpr bool kPointwiseFor =
    internal::kCallable<F, T, std::make_index_sequence<kInputs>>;

template <class F, int kInputs>
concept PointwiseFunctor =
    kPointwiseFor<F, kInputs, float> && kPointwiseFor<F, kInputs, double> &&
    kPointwiseFor<F, kInputs, FloatBatch> &&
    kPointwiseFor<F, kInputs, DoubleBatch> &&
    kPointwiseFor<F, kInputs, Dual<double, 1>> &&
    kPointwiseFor<F, kInputs, Dual<FloatBatch, 1>> &&
    kPointwiseFor<F, kInputs, Dual<DoubleBatch, 1>>;

// As the concept, as an error of the compiler.
template <class F, int kInputs>
constexpr bool CheckPointwiseFunctor() {
  static_assert(kPointwiseFor<F, kInputs, float>,
                "pointwise functor: operator() const must take this many "
                "floats and return a float");
  static_assert(kPointwiseFor<F, kInputs, double>,
                "pointwise functor: fails for double; make operator() a "
                "template over the number type");
  static_assert(kPointwiseFor<F, kInputs, FloatBatch>,
                "pointwise functor: fails for a SIMD batch of floats; use "
                "gyre::math and select instead of std:: and if");
  static_assert(kPointwiseFor<F, kInputs, DoubleBatch>,
                "pointwise functor: fails for a SIMD batch of doubles");
  static_assert(kPointwiseFor<F, kInputs, Dual<double, 1>>,
                "pointwise functor: fails for Dual<double, 1>; use gyre::math "
                "and return the number type itself");
  static_assert(kPointwiseFor<F, kInputs, Dual<FloatBatch, 1>>,
                "pointwise functor: fails for Dual<FloatBatch, 1>");
  static_assert(kPointwiseFor<F, kInputs, Dual<DoubleBatch, 1>>,
                "pointwise functor: fails for Dual<DoubleBatch, 1>");
  return true;
}

}  // namespace gyre

#endif  // GYRE_CORE_POINTWISE_H_
