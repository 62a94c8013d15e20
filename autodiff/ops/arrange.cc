#include "gyre/autodiff/ops/arrange.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "gyre/autodiff/exec/axis_span.h"
#include "gyre/autodiff/ops/axes.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/move_ops.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre {

using namespace internal;

namespace {

// More would be a mistake, and each is a Var.
constexpr std::int64_t kMaxParts = 65536;

std::vector<Var> Poisoned(Var near, std::int64_t count) {
  return std::vector<Var>(std::clamp<std::int64_t>(count, 1, kMaxParts),
                          near.valid() ? Var(near.tape(), -1) : near);
}

// x as (outer, extent, inner) with `times` copies of what lies after `head`
// leading parts, back under `shape`.
Var Copies(const Located& at,
           Var x,
           std::int64_t head,
           std::int64_t body,
           std::int64_t times,
           Shape shape) {
  const Var blocks = reshape(at(x), {head, 1, body});
  const Var many = broadcast_to(at(blocks), {head, times, body});
  return reshape(at(many), std::move(shape));
}

// The shape with one extent multiplied. Error: a negative count, or more
// elements than a shape may have.
StatusOr<Shape> Multiplied(const Shape& shape, int axis, std::int64_t times) {
  if (times < 0) {
    return ConfigError("expected 0 or more copies, got ", times);
  }
  std::vector<std::int64_t> dims = shape.dims();
  if (__builtin_mul_overflow(dims[axis], times, &dims[axis])) {
    return ConfigError(times,
                       " copies along axis ",
                       axis,
                       " of shape ",
                       shape,
                       " are too many");
  }
  Shape result(std::move(dims));
  GYRE_RETURN_IF_ERROR(result.Validate());
  return result;
}

Var Multiply(const Traced& x,
             std::int64_t times,
             int axis,
             bool each,
             std::string_view name) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  const auto normal = in.shape().NormalizeAxis(axis);
  if (!normal.ok()) return at.Fail(in, name, normal.status());
  auto shape = Multiplied(in.shape(), *normal, times);
  if (!shape.ok()) return at.Fail(in, name, shape.status());
  if (times == 1) return in;
  const AxisSpan span(in.shape(), *normal);
  if (each) {
    return Copies(
        at, in, span.outer * span.extent, span.inner, times, *std::move(shape));
  }
  return Copies(
      at, in, span.outer, span.extent * span.inner, times, *std::move(shape));
}

}  // namespace

std::vector<Var> split_sizes(Traced x,
                             const std::vector<std::int64_t>& sizes,
                             int axis) {
  const Var in = x.var();
  const auto count = static_cast<std::int64_t>(sizes.size());
  if (!in.valid()) return Poisoned(in, count);
  const Located at(x);
  const auto normal = in.shape().NormalizeAxis(axis);
  if (!normal.ok()) {
    at.Fail(in, "split", normal.status());
    return Poisoned(in, count);
  }
  std::int64_t total = 0;
  std::int64_t least = 0;
  for (const std::int64_t size : sizes) {
    least = std::min(least, size);
    if (__builtin_add_overflow(total, size, &total)) least = -1;
  }
  if (least < 0 || total != in.shape()[*normal] || sizes.empty()) {
    at.Fail(in,
            "split",
            ConfigError("expected ",
                        count,
                        " parts that add up to extent ",
                        in.shape()[*normal],
                        " of axis ",
                        *normal,
                        " of shape ",
                        in.shape(),
                        ", got a sum of ",
                        total));
    return Poisoned(in, count);
  }
  std::vector<Var> parts;
  std::int64_t start = 0;
  for (const std::int64_t size : sizes) {
    parts.push_back(slice(at(in), *normal, start, start + size));
    start += size;
  }
  return parts;
}

std::vector<Var> split(Traced x, int parts, int axis) {
  const Var in = x.var();
  if (!in.valid()) return Poisoned(in, parts);
  const Located at(x);
  const auto normal = in.shape().NormalizeAxis(axis);
  if (!normal.ok()) {
    at.Fail(in, "split", normal.status());
    return Poisoned(in, parts);
  }
  const std::int64_t extent = in.shape()[*normal];
  if (parts < 1 || parts > kMaxParts || extent % parts != 0) {
    at.Fail(in,
            "split",
            ConfigError("cannot cut extent ",
                        extent,
                        " of axis ",
                        *normal,
                        " of shape ",
                        in.shape(),
                        " into ",
                        parts,
                        " equal parts"));
    return Poisoned(in, parts);
  }
  return split_sizes(
      x, std::vector<std::int64_t>(parts, extent / parts), *normal);
}

Var stack(std::span<const Var> parts, int axis, const char* file, int line) {
  GYRE_CHECK(!parts.empty(), "stack of no parts");
  std::vector<Var> widened;
  for (const Var& part : parts) {
    const Located at(SourceLoc{file, line});
    if (const auto bad = Unusable("stack", {at(parts[0]), at(part)})) {
      return *bad;
    }
    if (!(part.shape() == parts[0].shape())) {
      return at.Fail(part,
                     "stack",
                     ConfigError("expected parts of one shape, got ",
                                 parts[0].shape(),
                                 " and ",
                                 part.shape()));
    }
    widened.push_back(expand_dims(at(part), axis));
    if (!widened.back().valid()) return widened.back();
  }
  return concat(widened, axis, file, line);
}

Var expand_dims(Traced x, int axis) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  const int rank = in.rank() + 1;
  if (axis < -rank || axis >= rank) {
    return at.Fail(in,
                   "expand_dims",
                   ConfigError("expected a position from ",
                               -rank,
                               " to ",
                               rank - 1,
                               " for a new axis of shape ",
                               in.shape(),
                               ", got ",
                               axis));
  }
  std::vector<std::int64_t> dims = in.shape().dims();
  dims.insert(dims.begin() + (axis < 0 ? axis + rank : axis), 1);
  return reshape(at(in), Shape(std::move(dims)));
}

Var squeeze(Traced x, const std::vector<int>& axes) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  const auto sorted = SortedAxes(in.shape(), axes);
  if (!sorted.ok()) return at.Fail(in, "squeeze", sorted.status());
  if (CountOf(in.shape(), *sorted) != 1) {
    return at.Fail(in,
                   "squeeze",
                   ConfigError("expected axes of extent 1, got shape ",
                               in.shape(),
                               "; reduce or slice them first"));
  }
  return reshape(at(in), ReducedShape(in.shape(), *sorted));
}

Var moveaxis(Traced x, int from, int to) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  const auto source = in.shape().NormalizeAxis(from);
  const auto target = in.shape().NormalizeAxis(to);
  if (!source.ok()) return at.Fail(in, "moveaxis", source.status());
  if (!target.ok()) return at.Fail(in, "moveaxis", target.status());
  if (*source == *target) return in;
  std::vector<int> order = AllAxes(in.rank());
  order.erase(order.begin() + *source);
  order.insert(order.begin() + *target, *source);
  return transpose(at(in), std::move(order));
}

Var swapaxes(Traced x, int a, int b) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  const auto first = in.shape().NormalizeAxis(a);
  const auto second = in.shape().NormalizeAxis(b);
  if (!first.ok()) return at.Fail(in, "swapaxes", first.status());
  if (!second.ok()) return at.Fail(in, "swapaxes", second.status());
  if (*first == *second) return in;
  std::vector<int> order = AllAxes(in.rank());
  std::swap(order[*first], order[*second]);
  return transpose(at(in), std::move(order));
}

Var flip(Traced x, const std::vector<int>& axes) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  auto sorted = SortedAxes(in.shape(), axes);
  if (!sorted.ok()) return at.Fail(in, "flip", sorted.status());
  if (sorted->empty()) return in;
  return at.Record(std::make_shared<FlipOp>(*std::move(sorted)), in);
}

Var roll(Traced x, std::int64_t shift, int axis) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  const auto normal = in.shape().NormalizeAxis(axis);
  if (!normal.ok()) return at.Fail(in, "roll", normal.status());
  const std::int64_t extent = in.shape()[*normal];
  if (extent == 0 || shift % extent == 0) return in;
  const std::int64_t forward = (shift % extent + extent) % extent;
  return at.Record(std::make_shared<RollOp>(forward, *normal), in);
}

Var tile(Traced x, std::int64_t times, int axis) {
  return Multiply(x, times, axis, /*each=*/false, "tile");
}
Var repeat(Traced x, std::int64_t times, int axis) {
  return Multiply(x, times, axis, /*each=*/true, "repeat");
}

}  // namespace gyre
