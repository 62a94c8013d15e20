#include "gyre/autodiff/ops/gather.h"

#include <memory>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/gather_ops.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre {

using namespace internal;

namespace {

// Sums of half-precision numbers are made in f32.
Var Wide(const Located& at, Var x) {
  const bool narrow = x.dtype() == DType::kBF16 || x.dtype() == DType::kF16;
  return narrow ? cast(at(x), DType::kF32) : x;
}

Var Scattered(const Located& at,
              Var updates,
              Var indices,
              int axis,
              std::int64_t extent) {
  const Var inputs[] = {Wide(at, updates), indices};
  const Var sums = updates.tape()->RecordOne(
      std::make_shared<ScatterOp>(axis, extent), inputs, at.loc());
  return sums.valid() ? cast(at(sums), updates.dtype()) : sums;
}

}  // namespace

Var gather(Traced x, Traced indices, int axis) {
  if (const auto bad = Unusable("gather", {x, indices})) return *bad;
  const Var in = x.var();
  const Located at(x);
  const auto normal = in.shape().NormalizeAxis(axis);
  if (!normal.ok()) return at.Fail(in, "gather", normal.status());
  // By way of f32 for half types, so that their gradients add up in f32.
  const Var inputs[] = {Wide(at, in), indices.var()};
  const Var y = in.tape()->RecordOne(
      std::make_shared<GatherOp>(*normal, false), inputs, at.loc());
  return y.valid() ? cast(at(y), in.dtype()) : y;
}

Var scatter_add(Traced x, Traced indices, Traced updates, int axis) {
  if (const auto bad = Unusable("scatter_add", {x, indices, updates})) {
    return *bad;
  }
  const Var in = x.var();
  const Located at(x);
  const auto normal = in.shape().NormalizeAxis(axis);
  if (!normal.ok()) return at.Fail(in, "scatter_add", normal.status());
  const Var from = updates.var();
  if (from.dtype() != in.dtype()) {
    return at.Fail(in,
                   "scatter_add",
                   ConfigError("expected updates of ",
                               in.dtype(),
                               ", got ",
                               from.dtype(),
                               "; use cast()"));
  }
  const Var sums =
      Scattered(at, from, indices.var(), *normal, in.shape()[*normal]);
  if (!sums.valid()) return sums;
  if (!(sums.shape() == in.shape())) {
    return at.Fail(in,
                   "scatter_add",
                   ConfigError("updates of shape ",
                               from.shape(),
                               " at indices of shape ",
                               indices.var().shape(),
                               " do not fit shape ",
                               in.shape(),
                               " along axis ",
                               *normal));
  }
  return at(in) + at(sums);
}

Var segment_sum(Traced x, Traced ids, std::int64_t segments, int axis) {
  if (const auto bad = Unusable("segment_sum", {x, ids})) return *bad;
  const Var in = x.var();
  const Located at(x);
  const auto normal = in.shape().NormalizeAxis(axis);
  if (!normal.ok()) return at.Fail(in, "segment_sum", normal.status());
  const Shape& shape = ids.var().shape();
  if (!(shape == Shape({in.shape()[*normal]})) || segments < 0) {
    return at.Fail(in,
                   "segment_sum",
                   ConfigError("expected ids of shape (",
                               in.shape()[*normal],
                               ") for axis ",
                               *normal,
                               " of shape ",
                               in.shape(),
                               " and 0 or more segments, got ",
                               shape,
                               " and ",
                               segments));
  }
  return Scattered(at, in, ids.var(), *normal, segments);
}

Var one_hot(Traced indices, std::int64_t depth, DType dtype) {
  if (!indices.var().valid()) return indices.var();
  return Located(indices).Record(std::make_shared<OneHotOp>(depth, dtype),
                                 indices.var());
}

Var embedding(Traced table, Traced ids) {
  if (const auto bad = Unusable("embedding", {table, ids})) return *bad;
  const Var in = table.var();
  if (in.rank() != 2) {
    return Located(table).Fail(in,
                               "embedding",
                               ConfigError("expected a table of shape (rows, "
                                           "width), got ",
                                           in.shape()));
  }
  return gather(table, ids, 0);
}

}  // namespace gyre
