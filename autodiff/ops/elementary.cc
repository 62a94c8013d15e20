#include "gyre/autodiff/ops/elementary.h"

#include <numbers>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre {

using namespace internal;

Var is_nan(Traced x) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  return logical_not(at(at(x) == at(x)));
}

Var log10(Traced x) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  const Var y = at(log(x)) * at(std::numbers::log10e);
  return y.valid() ? cast(at(y), x.var().dtype()) : y;
}

Var cbrt(Traced x) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  const Var zero = at(x) == at(0.0);
  const Var inner = select(at(zero), at(1.0), at(abs(x)));
  const Var root = at(sign(x)) * at(pow(at(inner), at(1.0 / 3)));
  const Var y = select(at(zero), at(0.0), at(root));
  return y.valid() ? cast(at(y), x.var().dtype()) : y;
}

}  // namespace gyre
