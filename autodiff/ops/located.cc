#include "gyre/autodiff/ops/located.h"

namespace gyre::internal::inline autodiff {
namespace {

// The tape that is being recorded, if an operand knows it.
Tape* TapeOf(std::initializer_list<Traced> operands) {
  for (const Traced& operand : operands) {
    if (!operand.is_number() && operand.var().tape() != nullptr) {
      return operand.var().tape();
    }
  }
  return nullptr;
}

}  // namespace

std::optional<Var> Unusable(std::string_view op,
                            std::initializer_list<Traced> operands) {
  int position = 0;
  for (const Traced& operand : operands) {
    ++position;
    if (operand.is_number() || operand.var().valid()) continue;
    const Var& var = operand.var();
    if (var.tape() != nullptr) return var;  // after an error that is known
    const auto fault = internal::FaultOf(var, operand.loc(), op, position);
    Tape* const tape = TapeOf(operands);
    if (tape == nullptr) return Var(fault);
    tape->NoteFault(*fault);
    return Var(tape, -1);
  }
  return std::nullopt;
}

bool MayBroadcast(std::string_view op,
                  const Var& a,
                  const Var& b,
                  const SourceLoc& loc) {
  const Shape& x = a.shape();
  const Shape& y = b.shape();
  if (x.rank() == y.rank() || x.rank() == 0 || y.rank() == 0) return true;
  Tape& tape = *a.tape();
  const auto both = BroadcastShapes(x, y);
  // Where one has the shape of both together, the other is a bias or a weight.
  if (!tape.in_forward() || !both.ok() || *both == x || *both == y) return true;
  const std::string text = Cat(op,
                               " broadcasts ",
                               x,
                               " and ",
                               y,
                               " to ",
                               *both,
                               "; write expand_dims or broadcast_to if it is "
                               "meant");
  const auto from = [&tape](const Var& var) {
    return tape.value(var.id()).made_of;
  };
  const auto measured = [](std::uint8_t prediction, std::uint8_t target) {
    return (prediction & kOfPrediction) != 0 && (target & kOfPrediction) == 0 &&
           (target & kOfBatch) != 0;
  };
  if (measured(from(a), from(b)) || measured(from(b), from(a))) {
    tape.NoteError(loc,
                   "prediction and batch",
                   ConfigError(text, ", or give both the same shape"));
    return false;
  }
  tape.NoteWarning(loc, text);
  return true;
}

}  // namespace gyre::internal::inline autodiff
