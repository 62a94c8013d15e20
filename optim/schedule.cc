#include "gyre/optim/schedule.h"

namespace gyre::optim {

using namespace internal;

std::string Schedule::Describe() const {
  const std::string own = self_->Describe();
  if (!own.empty()) return own;
  // A function has no name, but it has values.
  return Cat("custom(",
             Number(self_->At(0)),
             ", ",
             Number(self_->At(1)),
             ", ",
             Number(self_->At(1000)),
             ")");
}

Status Schedule::Validate() const {
  GYRE_RETURN_IF_ERROR(self_->Validate());
  const double first = self_->At(0);
  if (IsFinite(first)) return OkStatus();
  return ConfigError(
      "a schedule must give finite numbers, got ", first, " at step 0");
}

}  // namespace gyre::optim
