#include "gyre/train/step/result_check.h"

#include <algorithm>

namespace gyre::internal::inline train {
namespace {

constexpr std::size_t kMostUnreached = 8;

std::string LinePrefix(const SourceLoc& loc) {
  return loc.line > 0 ? Cat(loc, ": ") : std::string();
}

}  // namespace

SourceLoc LineOf(const Var& var) {
  if (!var.valid()) return {};
  const NodeId node = var.tape()->value(var.id()).node;
  return node < 0 ? SourceLoc{} : var.tape()->nodes()[node].loc;
}

Status CheckReturned(const Tape& tape, const Var& var, std::string_view who) {
  GYRE_RETURN_IF_ERROR(tape.FirstError());
  if (!var.given()) {
    return ConfigError("the ", who, " function returned no value");
  }
  if (var.mark() == tape.mark().get()) return OkStatus();
  // One that was met before has a line already.
  if (var.mark()->fault != internal::VarFault::kNone) {
    return internal::ErrorOf(*var.mark());
  }
  return Annotate(internal::ErrorOf(*internal::FaultOf(var, {})),
                  Cat("in what the ", who, " function returned: "));
}

Status CheckIsScalar(const Var& loss) {
  if (loss.rank() == 0 && loss.dtype() == DType::kF32) return OkStatus();
  return ConfigError(LinePrefix(LineOf(loss)),
                     "the loss must be an f32 scalar, got ",
                     loss.dtype(),
                     " ",
                     loss.shape(),
                     "; finish it with mean() or sum()");
}

Status CheckReaches(const Var& loss, std::span<const Var> grads) {
  const bool any = std::any_of(
      grads.begin(), grads.end(), [](const Var& g) { return g.given(); });
  if (any) return OkStatus();
  return ConfigError(LinePrefix(LineOf(loss)),
                     "the loss does not depend on any parameter: no gradient "
                     "comes back to one. Make it from the prediction, without "
                     "stop_gradient() or a comparison on the way");
}

std::string DescribeUnreached(std::span<const Parameter> params,
                              std::span<const Var> grads) {
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (grads[i].given()) continue;
    if (++count > kMostUnreached) continue;
    names += Cat(count == 1 ? "" : ", ", "\"", params[i].name, "\"");
    if (params[i].loc.line > 0) names += Cat(" (", params[i].loc, ")");
  }
  if (count == 0) return "";
  if (count > kMostUnreached)
    names += Cat(" and ", count - kMostUnreached, " more");
  return Cat("the loss does not depend on ",
             count == 1 ? "parameter " : "parameters ",
             names,
             ": no training will change ",
             count == 1 ? "it" : "them");
}

}  // namespace gyre::internal::inline train
