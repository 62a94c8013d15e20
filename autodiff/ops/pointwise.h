// A loss, or any elementwise function, as a C++ functor.
//
//   struct Huber {
//     float delta = 1.0f;
//     template <class T>
//     T operator()(const T& pred, const T& target) const {
//       const T e = pred - target;
//       const T a = math::abs(e);
//       return math::select(a <= delta, 0.5f * e * e,
//                           delta * (a - 0.5f * delta));
//     }
//   };
//   Var loss = mean(pointwise(Huber{0.5f}, pred, target));
//
// No gradient is written. A source compiled for AVX2 and FMA compiles the
// functor for SIMD batches of numbers and of dual numbers (core/dual.h), so
// that one pass over memory gives the derivatives by every input that needs
// one. Any other source records the functor as the operations it is made of,
// which the plan fuses and generates vector code for. The two agree but for
// the rounding of derivatives. Inputs broadcast.
//
// WARNING 1: use the functions of namespace math; `if` on a T does not
// compile, math::select does. Constants are plain numbers: 0.5f, not T(0.5f).
// WARNING 2: both branches of a select are computed: a log of a negative
// number is NaN even where it is not chosen, and so is its derivative times
// zero. Guard the argument: math::log(math::select(x > 0, x, 1.0f)).
// WARNING 3: the functor is copied, and (with SIMD) told from another of its
// type by its bytes: plain members without padding between them.

#ifndef GYRE_AUTODIFF_OPS_POINTWISE_H_
#define GYRE_AUTODIFF_OPS_POINTWISE_H_

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

#include "gyre/autodiff/ops/math_vars.h"
#include "gyre/autodiff/ops/pointwise_operands.h"
#include "gyre/autodiff/var.h"
#include "gyre/core/pointwise.h"
#include "gyre/core/simd.h"

#ifdef GYRE_SIMD
#include "gyre/autodiff/ops/pointwise_ops.h"
#include "gyre/autodiff/tape.h"
#endif

namespace gyre {
namespace internal {

// Records the functor as operations: of a vector of one.
template <class F, int kWidth, std::size_t N>
requires(kWidth == 1) Var
    RecordPointwise(const F& functor, std::initializer_list<Traced> inputs) {
  static_assert(std::is_trivially_copyable_v<F>,
                "a pointwise functor holds plain numbers only");
  const PointwiseOperands operands = MakeTracedOperands(inputs);
  if (operands.vars.empty()) return operands.poison;
  return FinishTraced(
      TraceFunctor(functor, operands.vars, std::make_index_sequence<N>()),
      operands.vars);
}

#ifdef GYRE_SIMD
// Records the functor as one operation.
template <class F, int kWidth, std::size_t N>
requires(kWidth > 1) Var
    RecordPointwise(const F& functor, std::initializer_list<Traced> inputs) {
  const PointwiseOperands operands = MakePointwiseOperands(inputs);
  if (operands.vars.empty()) return operands.poison;
  return operands.vars[0].tape()->RecordOne(
      std::make_shared<PointwiseOp<F, static_cast<int>(N)>>(functor),
      operands.vars,
      inputs.begin()->loc());
}
#endif

// Checks first, so that the first error of a wrong functor is a sentence.
template <class F, int kWidth, std::size_t N>
Var CheckedPointwise(const F& functor, std::initializer_list<Traced> inputs) {
  static_assert(CheckPointwiseFunctor<F, N>());
  return RecordPointwise<F, kWidth, N>(functor, inputs);
}

}  // namespace internal

// f of one to four inputs, element by element. kWidth: as core/simd.h has it;
// functions of sources with other flags have other names.
template <class F, int kWidth = internal::kSimdWidth>
Var pointwise(F f, Traced a) {
  return internal::CheckedPointwise<F, kWidth, 1>(f, {a});
}
template <class F, int kWidth = internal::kSimdWidth>
Var pointwise(F f, Traced a, Traced b) {
  return internal::CheckedPointwise<F, kWidth, 2>(f, {a, b});
}
template <class F, int kWidth = internal::kSimdWidth>
Var pointwise(F f, Traced a, Traced b, Traced c) {
  return internal::CheckedPointwise<F, kWidth, 3>(f, {a, b, c});
}
template <class F, int kWidth = internal::kSimdWidth>
Var pointwise(F f, Traced a, Traced b, Traced c, Traced d) {
  return internal::CheckedPointwise<F, kWidth, 4>(f, {a, b, c, d});
}

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_POINTWISE_H_
