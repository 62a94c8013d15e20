#include "gyre/autodiff/ops/safe.h"

#include <utility>

#include "gyre/autodiff/ops/axes.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/core/finite.h"

namespace gyre {

using namespace internal;

namespace {

// What to divide by before squaring: `largest`, or 1 where that is of no use.
// Any positive number gives the same result, so its gradient is none.
Var ScaleFrom(const Located& at, Var largest) {
  const Var positive = at(largest) > at(0.0);
  const Var usable = logical_and(at(positive), at(is_finite(at(largest))));
  return stop_gradient(at(select(at(usable), at(largest), at(1.0))));
}

// A number as a Var of the other operand's tape and width.
Traced AsVar(const Traced& x, const Traced& other) {
  if (!x.is_number()) return x;
  GYRE_CHECK(!other.is_number(), "expected a Var among the operands");
  const bool wide = other.var().dtype() == DType::kF64;
  return Located(x)(
      other.var().tape()->Scalar(x.number(), wide ? DType::kF64 : DType::kF32));
}

}  // namespace

Var safe_sqrt(Traced x) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  const Var guard = at(x) <= at(0.0);
  const Var inner = select(at(guard), at(1.0), x);
  const Var root = sqrt(at(inner));
  const Var y = select(at(guard), at(0.0), at(root));
  return y.valid() ? cast(at(y), x.var().dtype()) : y;
}

Var safe_log(Traced x, double at_guard) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  const Var guard = at(x) <= at(0.0);
  const Var inner = select(at(guard), at(1.0), x);
  const Var log_x = log(at(inner));
  return cast(at(select(at(guard), at(at_guard), at(log_x))), x.var().dtype());
}

Var safe_div(Traced a, Traced b, double at_guard) {
  if (const auto bad = Unusable("safe_div", {a, b})) return *bad;
  const Located at(a);
  const Traced divisor = AsVar(b, a);
  const Var guard = at(divisor) == at(0.0);
  const Var inner = select(at(guard), at(1.0), at(divisor));
  const Var ratio = at(a) / at(inner);
  const Var result = select(at(guard), at(at_guard), at(ratio));
  return result.valid() ? cast(at(result), ratio.dtype()) : result;
}

Var safe_norm(Traced x, std::vector<int> axes, bool keep_dims) {
  const Var var = x.var();
  if (!var.valid()) return var;
  const Located at(x);
  const Var largest =
      max(at(stop_gradient(at(abs(x)))), axes, /*keep_dims=*/true);
  if (!largest.valid()) return largest;
  const Var scale = ScaleFrom(at, largest);
  const Var part = at(x) / at(scale);
  const Var squares = sum(at(square(at(part))), axes, /*keep_dims=*/true);
  const Var root = safe_sqrt(at(squares));
  const Var norm = cast(at(at(scale) * at(root)), var.dtype());
  if (keep_dims) return norm;
  const auto sorted = SortedAxes(var.shape(), axes);
  return reshape(at(norm), ReducedShape(var.shape(), *sorted));
}

Var hypot(Traced x, Traced y) {
  if (const auto bad = Unusable("hypot", {x, y})) return *bad;
  const Located at(x);
  const Traced a = AsVar(x, y);
  const Traced b = AsVar(y, x);
  const Var larger = maximum(at(abs(a)), at(abs(b)));
  if (!larger.valid()) return larger;
  const Var scale = ScaleFrom(at, larger);
  const Var part_a = at(a) / at(scale);
  const Var part_b = at(b) / at(scale);
  const Var root =
      safe_sqrt(at(at(square(at(part_a))) + at(square(at(part_b)))));
  return cast(at(at(scale) * at(root)), larger.dtype());
}

Var softplus(Traced x, double floor) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  if (!(floor >= 0) || !IsFinite(floor)) {
    return at.Fail(
        x.var(),
        "softplus",
        ConfigError("expected a finite floor of 0 or more, got ", floor));
  }
  return cast(at(at(softplus(x)) + at(floor)), x.var().dtype());
}

}  // namespace gyre
