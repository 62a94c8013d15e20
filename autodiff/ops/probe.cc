#include "gyre/autodiff/ops/probe.h"

#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

Status CheckProbe(const Tape& tape, const std::string& name, const Var& value) {
  if (name.empty()) {
    return ConfigError("a name was expected, such as \"hidden\"");
  }
  for (const NamedValue& probe : tape.probes()) {
    if (probe.name != name) continue;
    return ConfigError("\"", name, "\" was given before, at ", probe.loc);
  }
  if (IsFloat(value.dtype())) return OkStatus();
  return ConfigError("\"",
                     name,
                     "\" is ",
                     value.dtype(),
                     ", and numbers of a float type were expected");
}

Var NameValue(const char* what,
              const std::string& name,
              Traced value,
              bool prints) {
  if (const auto bad = Unusable(what, {value})) return *bad;
  const Var var = value.var();
  const Status status = CheckProbe(*var.tape(), name, var);
  if (!status.ok()) return Fail(value, what, status);
  var.tape()->NoteProbe(name, var, value.loc(), prints);
  return var;
}

}  // namespace

Var probe(const std::string& name, Traced value) {
  return NameValue("probe", name, value, false);
}

Var print(const std::string& name, Traced value) {
  return NameValue("print", name, value, true);
}

}  // namespace gyre
