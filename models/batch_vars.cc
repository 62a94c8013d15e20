#include "gyre/models/batch_vars.h"

#include <algorithm>

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

Var BatchVars::Constant(Tensor tensor) const {
  if (!wide_ || tensor.dtype() != DType::kF32) {
    return tape_->Constant(std::move(tensor));
  }
  Tensor wide(DType::kF64, tensor.shape());
  const auto from = std::as_const(tensor).data<float>();
  std::copy(from.begin(), from.end(), wide.data<double>().begin());
  return tape_->Constant(std::move(wide));
}

}  // namespace gyre
