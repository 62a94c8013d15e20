#include "gyre/autodiff/ops/shape_ops.h"

#include <memory>
#include <utility>

#include "gyre/autodiff/ops/cast.h"
#include "gyre/autodiff/ops/layout_ops.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

Var Record(const Traced& x, std::shared_ptr<const Op> op) {
  const Var var = x.var();
  return var.tape()->RecordOne(std::move(op), {&var, 1}, x.loc());
}

// The window that is the whole of `shape`.
StridedRegion WholeWindow(const Shape& shape) {
  return {std::vector<std::int64_t>(shape.rank(), 0),
          std::vector<std::int64_t>(shape.rank(), 1),
          shape};
}

Shape WithExtent(const Shape& shape, int axis, std::int64_t extent) {
  std::vector<std::int64_t> dims = shape.dims();
  dims[axis] = extent;
  return Shape(std::move(dims));
}

}  // namespace

Var reshape(Traced x, Shape shape) {
  if (!x.var().valid()) return x.var();
  std::vector<std::int64_t> dims = shape.dims();
  std::int64_t known = 1;
  int rest = -1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (dims[i] == -1 && rest < 0) {
      rest = i;
    } else {
      known *= dims[i];
    }
  }
  if (rest >= 0) {
    const std::int64_t total = x.var().shape().elements();
    dims[rest] = known > 0 ? total / known : 0;
  }
  Shape full(std::move(dims));
  if (full == x.var().shape()) return x.var();
  return Record(x, std::make_shared<ReshapeOp>(std::move(full)));
}

Var transpose(Traced x, std::vector<int> order) {
  if (!x.var().valid()) return x.var();
  return Record(x, std::make_shared<TransposeOp>(std::move(order)));
}

Var broadcast_to(Traced x, Shape shape) {
  if (!x.var().valid() || x.var().shape() == shape) return x.var();
  return Record(x, std::make_shared<BroadcastOp>(std::move(shape)));
}

// The shape by value: recording may move the one it was read from.
Var sum_to(Traced x, Shape shape) {
  const Var var = x.var();
  if (!var.valid() || var.shape() == shape) return var;
  std::vector<int> axes;
  const int shift = var.rank() - shape.rank();
  for (int i = 0; i < var.rank(); ++i) {
    if (i < shift || (shape[i - shift] == 1 && var.shape()[i] != 1)) {
      axes.push_back(i);
    }
  }
  const Located at(x);
  return reshape(at(sum(x, std::move(axes))), std::move(shape));
}

Var slice(Traced x,
          int axis,
          std::int64_t start,
          std::int64_t stop,
          std::int64_t stride) {
  if (!x.var().valid()) return x.var();
  const Shape& shape = x.var().shape();
  const auto at = shape.NormalizeAxis(axis);
  if (!at.ok()) return Fail(x, "slice", at.status());
  if (start < 0) start += shape[*at];
  if (stop < 0) stop += shape[*at];
  if (stride < 1 || start < 0 || stop < start || stop > shape[*at]) {
    return Fail(x,
                "slice",
                ConfigError("[",
                            start,
                            ":",
                            stop,
                            ":",
                            stride,
                            "] does not "
                            "lie in axis ",
                            *at,
                            " of shape ",
                            shape));
  }
  if (start == 0 && stop == shape[*at] && stride == 1) return x.var();
  StridedRegion window =
      WholeWindow(WithExtent(shape, *at, (stop - start + stride - 1) / stride));
  window.start[*at] = start;
  window.step[*at] = stride;
  return Record(x, std::make_shared<SliceOp>(std::move(window)));
}

Var pad(
    Traced x, int axis, std::int64_t before, std::int64_t after, double value) {
  if (!x.var().valid()) return x.var();
  const Shape& shape = x.var().shape();
  const auto at = shape.NormalizeAxis(axis);
  if (!at.ok()) return Fail(x, "pad", at.status());
  if (before < 0 || after < 0) {
    return Fail(
        x,
        "pad",
        ConfigError(
            "expected padding of 0 or more, got ", before, " and ", after));
  }
  if (before == 0 && after == 0) return x.var();
  StridedRegion window = WholeWindow(shape);
  window.start[*at] = before;
  return Record(x,
                std::make_shared<EmbedOp>(
                    std::move(window),
                    WithExtent(shape, *at, shape[*at] + before + after),
                    value));
}

Var concat(std::span<const Var> parts, int axis, const char* file, int line) {
  GYRE_CHECK(!parts.empty(), "concat of no parts");
  const Traced first(parts[0], file, line);
  if (const auto bad = Unusable("concat", {first})) return *bad;
  const auto at = parts[0].shape().NormalizeAxis(axis);
  if (!at.ok()) return Fail(first, "concat", at.status());
  if (parts.size() == 1) return parts[0];
  return parts[0].tape()->RecordOne(
      std::make_shared<ConcatOp>(*at), parts, first.loc());
}

Var cast(Traced x, DType dtype) {
  if (!x.var().valid() || x.var().dtype() == dtype) return x.var();
  return Record(x, std::make_shared<CastOp>(dtype));
}

Var stop_gradient(Traced x) {
  if (!x.var().valid()) return x.var();
  return Record(x, std::make_shared<StopGradientOp>());
}

}  // namespace gyre
