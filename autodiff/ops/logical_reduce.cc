#include "gyre/autodiff/ops/logical_reduce.h"

#include <utility>

#include "gyre/autodiff/ops/axes.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/pmax.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre {

using namespace internal;

namespace {

// 1 where true, 0 elsewhere; what any and all are the max and min of.
Var Truth(const Located& at, Var x) {
  if (x.dtype() == DType::kBool) return cast(at(x), DType::kF32);
  return cast(at(at(x) != at(0.0)), DType::kF32);
}

}  // namespace

Var any(Traced x) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  const Var truth = Truth(at, x.var());
  const Var local = max(at(truth), AllAxes(truth.rank()));
  return at(pmax(at(local))) > at(0.0);
}

Var all(Traced x) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  const Var truth = Truth(at, x.var());
  const Var local = min(at(truth), AllAxes(truth.rank()));
  return at(pmin(at(local))) > at(0.0);
}

Var any(Traced x, std::vector<int> axes, bool keep_dims) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  const Var truth = Truth(at, x.var());
  return at(max(at(truth), std::move(axes), keep_dims)) > at(0.0);
}

Var all(Traced x, std::vector<int> axes, bool keep_dims) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  const Var truth = Truth(at, x.var());
  return at(min(at(truth), std::move(axes), keep_dims)) > at(0.0);
}

}  // namespace gyre
