#include "gyre/autodiff/ops/masked.h"

#include <limits>

#include "gyre/autodiff/ops/axes.h"
#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/pmax.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre {

using namespace internal;

namespace {

// 1 where a cell counts, of x's shape and varying where x or the mask does.
Var Counted(const Located& at, Var x, Var mask) {
  const Var counts = broadcast_to(at(at(mask) != at(0.0)), x.shape());
  const DType wide = x.dtype() == DType::kF64 ? DType::kF64 : DType::kF32;
  return vary_like(at(cast(at(counts), wide)), x);
}

Var MaskedExtreme(const Traced& x,
                  const Traced& mask,
                  double empty,
                  bool smallest) {
  const char* const name = smallest ? "masked_min" : "masked_max";
  if (const auto bad = Unusable(name, {x, mask})) return *bad;
  const Located at(x);
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Var counts = Counted(at, x.var(), mask.var());
  if (!counts.valid()) return counts;
  const Var kept = select(at(counts), x, at(smallest ? kInf : -kInf));
  if (!kept.valid()) return kept;
  const Var local = smallest ? min(at(kept), AllAxes(kept.rank()))
                             : max(at(kept), AllAxes(kept.rank()));
  const Var all = smallest ? pmin(at(local)) : pmax(at(local));
  const Var any = at(sum(at(counts))) > at(0.0);
  return cast(at(select(at(any), at(all), at(empty))), x.var().dtype());
}

}  // namespace

Var masked_var(Traced x, Traced mask, double ddof) {
  if (const auto bad = Unusable("masked_var", {x, mask})) return *bad;
  const Located at(x);
  const Var counts = Counted(at, x.var(), mask.var());
  if (!counts.valid()) return counts;
  const Var center = masked_mean(x, at(counts));
  const Var error = select(at(counts), at(at(x) - at(center)), at(0.0));
  const Var total = sum(at(square(at(error))));
  const Var degrees = at(sum(at(counts))) - at(ddof);
  const Var enough = at(degrees) > at(0.0);
  const Var safe = select(at(enough), at(degrees), at(1.0));
  const Var y = select(at(enough), at(at(total) / at(safe)), at(0.0));
  return y.valid() ? cast(at(y), x.var().dtype()) : y;
}

Var masked_max(Traced x, Traced mask, double empty) {
  return MaskedExtreme(x, mask, empty, false);
}
Var masked_min(Traced x, Traced mask, double empty) {
  return MaskedExtreme(x, mask, empty, true);
}

}  // namespace gyre
