#include "gyre/autodiff/ops/pointwise_operands.h"

#include <utility>

#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"
#include "gyre/core/check.h"

namespace gyre::internal::inline autodiff {

StatusOr<std::vector<TensorSpec>> InferPointwise(
    std::span<const TensorSpec> inputs) {
  Shape shape;
  for (const TensorSpec& input : inputs) {
    if (input.dtype != inputs[0].dtype ||
        (input.dtype != DType::kF32 && input.dtype != DType::kF64)) {
      return ConfigError("expected inputs that are all f32 or all f64, got ",
                         inputs[0].dtype,
                         " and ",
                         input.dtype,
                         "; use cast()");
    }
    GYRE_ASSIGN_OR_RETURN(shape, BroadcastShapes(shape, input.shape));
  }
  return OneOutput(std::move(shape), inputs[0].dtype);
}

PointwiseOperands MakePointwiseOperands(std::initializer_list<Traced> inputs) {
  if (const auto bad = Unusable("pointwise", inputs)) {
    return {.poison = *bad, .vars = {}};
  }
  const SourceLoc& loc = inputs.begin()->loc();
  Tape* tape = nullptr;
  DType dtype = DType::kF32;
  Shape shape;
  for (const Traced& input : inputs) {
    if (input.is_number()) continue;
    tape = input.var().tape();
    dtype = input.var().dtype();
    const auto both = BroadcastShapes(shape, input.var().shape());
    if (!both.ok()) {
      return {.poison = tape->Fail(loc, "pointwise", both.status()),
              .vars = {}};
    }
    shape = *both;
    for (const Traced* other = inputs.begin(); other != &input; ++other) {
      if (other->is_number() || other->var().tape() != tape) continue;
      if (!MayBroadcast("pointwise", other->var(), input.var(), loc)) {
        return {.poison = Var(tape, -1), .vars = {}};
      }
    }
  }
  GYRE_CHECK(tape != nullptr, "pointwise of numbers alone");
  PointwiseOperands operands;
  for (const Traced& input : inputs) {
    if (input.is_number()) {
      operands.vars.push_back(tape->Scalar(input.number(), dtype));
    } else if (input.var().shape().elements() == 1) {
      operands.vars.push_back(input.var());
    } else {
      operands.vars.push_back(broadcast_to(input, shape));
    }
  }
  return operands;
}

PointwiseOperands MakeTracedOperands(std::initializer_list<Traced> inputs) {
  PointwiseOperands operands = MakePointwiseOperands(inputs);
  if (operands.vars.empty()) return operands;
  Tape* const tape = operands.vars[0].tape();
  std::vector<TensorSpec> specs;
  for (const Var& var : operands.vars) {
    if (!var.valid()) return {.poison = var, .vars = {}};
    specs.push_back({var.shape(), var.dtype(), var.varies()});
  }
  const auto inferred = InferPointwise(specs);
  if (inferred.ok()) return operands;
  const SourceLoc& loc = inputs.begin()->loc();
  return {.poison = tape->Fail(loc, "pointwise", inferred.status()),
          .vars = {}};
}

Var FinishTraced(Var value, std::span<const Var> inputs) {
  if (!value.valid()) return value;
  Shape shape = value.shape();
  for (const Var& input : inputs) {
    const auto both = BroadcastShapes(shape, input.shape());
    if (both.ok()) shape = *both;
  }
  return shape == value.shape() ? value : broadcast_to(value, shape);
}

}  // namespace gyre::internal::inline autodiff
