#include "gyre/models/ensemble.h"

#include "gyre/autodiff/ops/arrange.h"
#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/mesh_moves.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

Var crps(Traced members_at, Traced target_at, const std::string& axis) {
  if (const auto bad = Unusable("crps", {members_at, target_at})) return *bad;
  const Tape::Call call(members_at, "crps");
  const Var members = members_at.var();
  const Var target = target_at.var();
  if (members.rank() < 1) {
    return Fail(
        members_at, "", ConfigError("expected members (k, ...), got a scalar"));
  }
  const Var all = all_gather(members, axis, 0);  // (m, ...)
  if (!all.valid()) return all;
  const Shape mine = members.shape();
  const double m = static_cast<double>(all.shape()[0]);
  const Var error = mean(abs(members - target));
  if (m == 1) return error;
  // Each of this rank's members against all: (k, 1, ...) and (1, m, ...).
  std::vector<std::int64_t> dims = mine.dims();
  dims.insert(dims.begin() + 1, 1);
  const Var apart = abs(reshape(members, Shape(dims)) - expand_dims(all, 0));
  // A mean over m * m pairs, of which m are a member with itself.
  return error - mean(apart) * (0.5 * m / (m - 1));
}

Var vary_over(Traced input, const std::string& axis) {
  const Tape::Call call(input, "vary_over");
  const Var x = input.var();
  if (!x.valid()) return x;
  return vary_like(x, axis_index(x, axis));
}

}  // namespace gyre
