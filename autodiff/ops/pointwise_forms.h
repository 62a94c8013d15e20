// The forms of a pointwise functor that a plan chooses between, without the
// functor's type: its values, their sum, and the sum beside the derivatives.

#ifndef GYRE_AUTODIFF_OPS_POINTWISE_FORMS_H_
#define GYRE_AUTODIFF_OPS_POINTWISE_FORMS_H_

#include <memory>
#include <string>

#include "gyre/autodiff/op.h"
#include "gyre/core/check.h"

namespace gyre::internal::inline autodiff {

// An operation that only a plan makes: its outputs are those of the
// operations that it replaces, and it is never differentiated.
class PlanOp : public Op {
 public:
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec>) const override {
    return InternalError(name(), " is not recorded");
  }
  std::vector<Var> Vjp(const VjpArgs&) const override {
    GYRE_CHECK(false, "a plan is not differentiated");
    return {};
  }
};

// f(x_0 .. x_N-1), element by element.
class Sums : public Op {
 public:
  // The operation of the same inputs that gives the sum of all elements.
  virtual std::shared_ptr<const Op> Summed() const = 0;
};

// The derivatives of f; inputs (x_0 .. x_N-1, dy).
class SumsWithGrad : public Op {
 public:
  // The operation of the same inputs that gives the sum of f, then the
  // outputs of this one.
  virtual std::shared_ptr<const Op> WithSum() const = 0;
  // Equal to the attributes of the operation of f itself.
  virtual std::string functor_text() const = 0;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_POINTWISE_FORMS_H_
