#include "gyre/autodiff/tape_mark.h"

#include <utility>

#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

const Shape kNoShape;

bool Readable(const internal::TapeMark* mark) {
  return mark != nullptr && mark->readable();
}

std::string Place(const SourceLoc& loc) {
  return loc.line > 0 ? Cat(loc, ": ") : std::string();
}

}  // namespace

Var::Var(Tape* tape, ValueId id)
    : mark_(tape == nullptr ? nullptr : tape->mark()), id_(id) {}

Tape* Var::tape() const {
  return mark_ == nullptr ? nullptr : mark_->tape.load();
}
bool Var::valid() const { return id_ >= 0 && Readable(mark_.get()); }

const Shape& Var::shape() const {
  return valid() ? tape()->value(id_).spec.shape : kNoShape;
}
DType Var::dtype() const {
  return valid() ? tape()->value(id_).spec.dtype : DType::kF32;
}
AxisSet Var::varies() const {
  return valid() ? tape()->value(id_).spec.varies : 0;
}

namespace internal {

Var Usable(Var var, const SourceLoc& loc) {
  if (var.given() && var.mark()->recording()) return var;
  return Var(FaultOf(var, loc));
}

}  // namespace internal
}  // namespace gyre

namespace gyre::internal::inline autodiff {

std::shared_ptr<const TapeMark> FaultOf(const Var& var,
                                        const SourceLoc& loc,
                                        std::string_view op,
                                        int operand) {
  const TapeMark* const known = var.mark();
  if (known == nullptr) {
    return std::make_shared<TapeMark>(VarFault::kNoValue, loc, op, operand);
  }
  if (known->fault == VarFault::kNone) {
    return std::make_shared<TapeMark>(VarFault::kOtherTrace, loc, op, operand);
  }
  const bool nearer = known->op.empty() && known->loc.line == loc.line;
  return std::make_shared<TapeMark>(known->fault,
                                    known->loc,
                                    nearer ? op : known->op,
                                    nearer ? operand : known->operand);
}

Status ErrorOf(const TapeMark& fault) {
  const std::string which =
      fault.op.empty() ? std::string()
                       : Cat("operand ", fault.operand, " of ", fault.op);
  if (fault.fault == VarFault::kNoValue) {
    if (which.empty()) {
      return ConfigError(Place(fault.loc),
                         "an operand has no value: a Var that was never set");
    }
    return ConfigError(which,
                       fault.loc.line > 0 ? Cat(" at ", fault.loc) : "",
                       " has no value: a Var that was never set");
  }
  return ConfigError(
      Place(fault.loc),
      "this Var belongs to another trace (a static or captured Var?)",
      which.empty() ? "" : ": " + which,
      "; make it anew in each trace");
}

}  // namespace gyre::internal::inline autodiff
