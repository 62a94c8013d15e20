#include "models/batch_vars.h"

namespace gyre {

Var BatchVars::Get(const std::string& name, const char* file, int line) const {
  const auto it = vars_.find(name);
  if (it != vars_.end()) return it->second;
  std::string known;
  for (const auto& [key, var] : vars_) {
    known += Cat(known.empty() ? "" : ", ", key, " ", var.shape());
  }
  tape_->NoteError(
      {file, line},
      "batch",
      ConfigError("no tensor \"", name, "\"; the batch has ", known));
  return Var(tape_, -1);
}

}  // namespace gyre
