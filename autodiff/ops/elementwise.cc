#include "gyre/autodiff/ops/elementwise.h"

#include <array>
#include <memory>

#include "gyre/autodiff/exec/elementwise_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/elementwise_op.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

// The type in which operands meet. Error: f32 beside f64, or no float.
StatusOr<DType> ComputeType(Code code, std::span<const TensorSpec> inputs) {
  bool wide = false;
  bool narrow = false;
  for (const TensorSpec& input : inputs) {
    wide = wide || input.dtype == DType::kF64;
    narrow = narrow || (IsFloat(input.dtype) && input.dtype != DType::kF64);
  }
  if (wide && narrow) {
    return ConfigError("f32 and f64 do not mix; use cast()");
  }
  // Masks and integers alone are compared and combined in f32.
  if (!wide && !narrow && !IsPredicate(code)) {
    return ConfigError("expected at least one float operand, got ",
                       inputs[0].dtype,
                       "; use cast()");
  }
  return wide ? DType::kF64 : DType::kF32;
}

// bf16 beside bf16 stays bf16; anything beside f32 becomes f32.
DType ResultType(std::span<const TensorSpec> inputs, DType compute) {
  DType result = compute;
  bool first = true;
  for (const TensorSpec& input : inputs) {
    if (!IsFloat(input.dtype)) continue;
    result = first || result == input.dtype ? input.dtype : compute;
    first = false;
  }
  return result;
}

// As the user wrote it.
std::string_view Spelling(Code code) {
  switch (code) {
    case Code::kAdd:
      return "+";
    case Code::kSub:
    case Code::kNeg:
      return "-";
    case Code::kMul:
      return "*";
    case Code::kDiv:
      return "/";
    default:
      return Name(code);
  }
}

// Turns the operands into Vars of one tape: numbers take the type of the
// first float Var.
Var Record(Code code, std::initializer_list<Traced> operands) {
  if (const auto bad = Unusable(Spelling(code), operands)) return *bad;
  Tape* tape = nullptr;
  DType dtype = DType::kF32;
  for (const Traced& operand : operands) {
    if (operand.is_number()) continue;
    tape = operand.var().tape();
    if (operand.var().dtype() == DType::kF64) dtype = DType::kF64;
  }
  GYRE_CHECK(tape != nullptr, Name(code), " of numbers alone");
  for (const Traced* a = operands.begin(); a != operands.end(); ++a) {
    for (const Traced* b = a + 1; b != operands.end(); ++b) {
      if (a->is_number() || b->is_number()) continue;
      if (a->var().tape() != b->var().tape()) continue;  // Record says so
      if (!MayBroadcast(Name(code), a->var(), b->var(), a->loc())) {
        return Var(tape, -1);
      }
    }
  }
  std::array<Var, 3> vars;
  std::size_t count = 0;
  for (const Traced& operand : operands) {
    vars[count++] = operand.is_number() ? tape->Scalar(operand.number(), dtype)
                                        : operand.var();
  }
  return tape->RecordOne(std::make_shared<ElementwiseOp>(code),
                         std::span(vars).first(count),
                         operands.begin()->loc());
}

}  // namespace

StatusOr<std::vector<TensorSpec>> ElementwiseOp::Infer(
    std::span<const TensorSpec> inputs) const {
  GYRE_ASSIGN_OR_RETURN(const DType compute, ComputeType(code_, inputs));
  Shape shape = inputs[0].shape;
  for (const TensorSpec& input : inputs.subspan(1)) {
    GYRE_ASSIGN_OR_RETURN(shape, BroadcastShapes(shape, input.shape));
  }
  // The condition of a select has no say in the type.
  const auto values = code_ == Code::kSelect ? inputs.subspan(1) : inputs;
  return OneOutput(
      std::move(shape),
      IsPredicate(code_) ? DType::kBool : ResultType(values, compute));
}

StatusOr<std::unique_ptr<Kernel>> ElementwiseOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeElementwiseKernel(code_, request);
}

Var operator+(Traced a, Traced b) { return Record(Code::kAdd, {a, b}); }
Var operator-(Traced a, Traced b) { return Record(Code::kSub, {a, b}); }
Var operator*(Traced a, Traced b) { return Record(Code::kMul, {a, b}); }
Var operator/(Traced a, Traced b) { return Record(Code::kDiv, {a, b}); }
Var operator-(Traced a) { return Record(Code::kNeg, {a}); }
Var operator<(Traced a, Traced b) { return Record(Code::kLt, {a, b}); }
Var operator<=(Traced a, Traced b) { return Record(Code::kLe, {a, b}); }
Var operator>(Traced a, Traced b) { return Record(Code::kGt, {a, b}); }
Var operator>=(Traced a, Traced b) { return Record(Code::kGe, {a, b}); }
Var operator==(Traced a, Traced b) { return Record(Code::kEq, {a, b}); }
Var operator!=(Traced a, Traced b) { return Record(Code::kNe, {a, b}); }
Var logical_and(Traced a, Traced b) { return Record(Code::kAnd, {a, b}); }
Var logical_or(Traced a, Traced b) { return Record(Code::kOr, {a, b}); }
Var logical_not(Traced a) { return Record(Code::kNot, {a}); }

#define GYRE_UNARY_FUNCTION(Code_, name, Functor, Weight, Generated) \
  Var name(Traced x) { return Record(Code::k##Code_, {x}); }
GYRE_UNARY_WORDS(GYRE_UNARY_FUNCTION)
#undef GYRE_UNARY_FUNCTION
Var is_finite(Traced x) { return Record(Code::kIsFinite, {x}); }

#define GYRE_BINARY_FUNCTION(Code_, name, Functor, Weight, Generated) \
  Var name(Traced a, Traced b) { return Record(Code::k##Code_, {a, b}); }
GYRE_BINARY_WORDS(GYRE_BINARY_FUNCTION)
#undef GYRE_BINARY_FUNCTION
Var maximum(Traced a, Traced b) { return Record(Code::kMax, {a, b}); }
Var minimum(Traced a, Traced b) { return Record(Code::kMin, {a, b}); }

Var clip(Traced x, double low, double high) {
  const Located at(x);
  return minimum(at(maximum(x, at(low))), at(high));
}

Var select(Traced condition, Traced a, Traced b) {
  return Record(Code::kSelect, {condition, a, b});
}

Var zeros_like(Traced x) {
  const Var var = x.var();
  if (!var.valid()) return var;
  return var.tape()->Constant(Tensor::Zeros(var.shape(), var.dtype()));
}

}  // namespace gyre
