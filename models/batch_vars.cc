#include "gyre/models/batch_vars.h"

#include <algorithm>

namespace gyre {

using namespace internal;

namespace {

// Of a batch that was kept from a trace that is over.
Var KeptTooLong(const SourceLoc& loc) {
  return Var(std::make_shared<internal::TapeMark>(
      internal::VarFault::kOtherTrace, loc));
}

}  // namespace

Var BatchVars::operator[](const BatchKey& key) const {
  if (!mark_->recording()) return KeptTooLong(key.loc());
  const auto it = vars_.find(key.name());
  if (it != vars_.end()) return it->second;
  std::string known;
  for (const auto& [key, var] : vars_) {
    known += Cat(known.empty() ? "" : ", ", key, " ", var.shape());
  }
  tape_->NoteError(
      key.loc(),
      "batch",
      ConfigError("no tensor \"", key.name(), "\"; the batch has ", known));
  return Var(tape_, -1);
}

Var BatchVars::Constant(Tensor tensor, const char* file, int line) const {
  if (!mark_->recording()) return KeptTooLong({file, line});
  if (!wide_ || tensor.dtype() != DType::kF32) {
    return tape_->Constant(std::move(tensor));
  }
  Tensor wide(DType::kF64, tensor.shape());
  const auto from = std::as_const(tensor).data<float>();
  std::copy(from.begin(), from.end(), wide.data<double>().begin());
  return tape_->Constant(std::move(wide));
}

}  // namespace gyre
