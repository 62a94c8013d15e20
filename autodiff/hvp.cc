#include "gyre/autodiff/hvp.h"

#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/vjp.h"

namespace gyre {

using namespace internal;

namespace {

Status CheckDirection(std::span<const Var> x, std::span<const Var> v) {
  if (x.size() != v.size()) {
    return ConfigError("expected one direction for each input, got ",
                       v.size(),
                       " for ",
                       x.size());
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!v[i].valid()) continue;
    if (!(x[i].shape() == v[i].shape()) || x[i].dtype() != v[i].dtype()) {
      return ConfigError("expected a direction of ",
                         x[i].dtype(),
                         " ",
                         x[i].shape(),
                         " for input ",
                         i,
                         ", got ",
                         v[i].dtype(),
                         " ",
                         v[i].shape());
    }
  }
  return OkStatus();
}

}  // namespace

std::vector<Var> hvp(const std::function<Var(std::span<const Var>)>& f,
                     std::span<const Var> x,
                     std::span<const Var> v,
                     const char* file,
                     int line) {
  GYRE_CHECK(!x.empty(), "hvp by no inputs");
  const Located at(SourceLoc{file, line});
  for (const Var& var : x) {
    if (const auto bad = Unusable("hvp", {at(var)})) {
      return std::vector<Var>(x.size(), *bad);
    }
  }
  Tape& tape = *x[0].tape();
  if (Status status = CheckDirection(x, v); !status.ok()) {
    tape.NoteError(at.loc(), "hvp", status);
    return std::vector<Var>(x.size(), Var(&tape, -1));
  }
  for (const Var& var : v) {
    if (const auto bad = Unusable("hvp", {at(x[0]), at(var)})) {
      return std::vector<Var>(x.size(), *bad);
    }
  }
  const std::vector<Var> gradients = Gradients(at(f(x)), x);
  return Vjp(gradients, v, x, file, line);
}

}  // namespace gyre
