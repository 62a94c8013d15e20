#include "gyre/autodiff/ops/report.h"

#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

Status CheckTerm(const Tape& tape, const std::string& name, const Var& value) {
  if (name.empty())
    return ConfigError("a name was expected, such as \"skill\"");
  for (const Term& term : tape.terms()) {
    if (term.name != name) continue;
    return ConfigError("\"", name, "\" was reported before, at ", term.loc);
  }
  if (value.shape().rank() != 0 || !IsFloat(value.dtype())) {
    return ConfigError("\"",
                       name,
                       "\" is ",
                       value.dtype(),
                       " ",
                       value.shape(),
                       ", and one number was expected: finish it with mean()");
  }
  if (value.varies() != 0) {
    return ConfigError("\"",
                       name,
                       "\" differs from rank to rank: finish it with mean() "
                       "or sum() without axes, or with pmean()");
  }
  return OkStatus();
}

}  // namespace

Var report(const std::string& name, Traced value) {
  if (const auto bad = Unusable("report", {value})) return *bad;
  const Var var = value.var();
  const Status status = CheckTerm(*var.tape(), name, var);
  if (!status.ok()) return Fail(value, "report", status);
  const bool kept = var.dtype() == DType::kF32;
  var.tape()->NoteTerm(
      name, kept ? var : cast(value, DType::kF32), value.loc());
  return var;
}

}  // namespace gyre
