// What a pointwise functor is recorded with: its inputs, brought to one shape.
// For ops/pointwise.h.

#ifndef GYRE_AUTODIFF_OPS_POINTWISE_OPERANDS_H_
#define GYRE_AUTODIFF_OPS_POINTWISE_OPERANDS_H_

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/var.h"

namespace gyre::internal::inline autodiff {

// Gives the output's spec. The inputs have its shape, or one element, and are
// all f32 or all f64.
StatusOr<std::vector<TensorSpec>> InferPointwise(
    std::span<const TensorSpec> inputs);

struct PointwiseOperands {
  Var poison;             // what to return where `vars` is empty
  std::vector<Var> vars;  // one an input
};

// Makes numbers scalars of the tape, and writes out in the common shape what
// is not a scalar. After an error there are no `vars`.
PointwiseOperands MakePointwiseOperands(std::initializer_list<Traced> inputs);

// As that, with the errors that recording one operation would find.
PointwiseOperands MakeTracedOperands(std::initializer_list<Traced> inputs);

// Gives the functor's value in the inputs' common shape: a functor may look at
// few of them.
Var FinishTraced(Var value, std::span<const Var> inputs);

// Calls the functor with traced values: it becomes the operations it is made
// of.
template <class F, std::size_t... I>
Var TraceFunctor(const F& functor,
                 std::span<const Var> x,
                 std::index_sequence<I...>) {
  return functor(x[I]...);
}

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_POINTWISE_OPERANDS_H_
