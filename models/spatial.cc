#include "gyre/models/spatial.h"

#include <numeric>
#include <vector>

#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

StatusOr<int> RanksOf(Var x, const std::string& axis) {
  const Mesh* mesh = x.tape()->mesh();
  if (mesh == nullptr) return 1;
  GYRE_ASSIGN_OR_RETURN(const int index, mesh->AxisIndex(axis));
  return mesh->axes()[index].size;
}

Status Check(Var x, const Strip& strip, std::int64_t kernel) {
  GYRE_ASSIGN_OR_RETURN(const int ranks, RanksOf(x, strip.axis));
  if (x.rank() != 4 || (strip.dim != 2 && strip.dim != 3) || kernel < 1 ||
      kernel % 2 == 0) {
    return ConfigError(
        "expected x (batch, channel, lat, lon), cut along 2 or "
        "3, and an odd kernel; got ",
        x.shape(),
        ", ",
        strip.dim,
        " and ",
        kernel);
  }
  const std::int64_t rows = x.shape()[strip.dim];
  if (strip.whole != 0 && rows != StripRows(strip.whole, ranks)) {
    return ConfigError("of ",
                       strip.whole,
                       " rows each of ",
                       ranks,
                       " ranks has ",
                       StripRows(strip.whole, ranks),
                       "; got ",
                       x.shape());
  }
  const bool padded = strip.whole != 0 && strip.whole != rows * ranks;
  if (padded && strip.edge == HaloEdge::kCircular) {
    return ConfigError(strip.whole,
                       " rows that close to a circle do not divide over ",
                       ranks,
                       " ranks of ",
                       strip.axis,
                       ": cut the other direction, or use another mesh");
  }
  return OkStatus();
}

bool IsPadded(Var x, const Strip& strip) {
  const std::int64_t ranks = RanksOf(x, strip.axis).value_or(1);
  return strip.whole != 0 && strip.whole != x.shape()[strip.dim] * ranks;
}

}  // namespace

Var StripMask(Traced input, const Strip& strip) {
  const Tape::Call call(input);
  const Var x = input.var();
  if (!x.valid()) return x;
  if (const Status status = Check(x, strip, 1); !status.ok()) {
    return x.tape()->Fail({}, "strip_mask", status);
  }
  const std::int64_t rows = x.shape()[strip.dim];
  Tape& tape = *x.tape();
  Tensor numbers(DType::kF32, {rows});
  const std::span<float> row = numbers.data<float>();
  std::iota(row.begin(), row.end(), 0.0f);
  const Var first = cast(axis_index(x, strip.axis), DType::kF32) * double(rows);
  const double whole = static_cast<double>(
      strip.whole != 0 ? strip.whole
                       : rows * RanksOf(x, strip.axis).value_or(1));
  const Var exists = tape.Constant(std::move(numbers)) + first < whole;
  return reshape(
      exists, strip.dim == 2 ? Shape({1, 1, rows, 1}) : Shape({1, 1, 1, rows}));
}

Var strip_conv(Params& params,
               const std::string& name,
               Traced input,
               std::int64_t out,
               const Strip& strip,
               const ConvLayerOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  Var x = input.var();
  const std::int64_t k = options.kernel;
  if (const Status status = Check(x, strip, k); !status.ok()) {
    return x.tape()->Fail({}, "", status);
  }
  // Beyond the field stand zeros, whatever the padding holds.
  if (IsPadded(x, strip)) {
    x = select(StripMask(x, strip), x, zeros_like(x));
  }
  Params mine = params.Scope(name);
  const std::int64_t in = x.shape()[1];
  const Var w = mine.Get(
      "w", {out, in, k, k}, options.init.value_or(LecunNormal(in * k * k)));
  x = halo_exchange(x, strip.axis, strip.dim, k / 2, k / 2, strip.edge);
  ConvOptions conv{.padding = {k / 2, k / 2}, .pad_mode = options.pad_mode};
  conv.padding[strip.dim - 2] = 0;
  conv.pad_mode[strip.dim - 2] = PadMode::kZero;
  Var y = conv2d(mine.InComputeType(x), mine.InComputeType(w), conv);
  if (options.bias) {
    y = y +
        reshape(mine.InComputeType(mine.Get("b", {out}, Zeros())), {out, 1, 1});
  }
  return y;
}

}  // namespace gyre
