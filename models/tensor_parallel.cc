#include "gyre/models/tensor_parallel.h"

#include <utility>

#include "gyre/autodiff/ops/attention.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/mesh_moves.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/models/heads.h"
#include "gyre/models/product.h"

namespace gyre {

using namespace internal;

namespace {

std::int64_t AxisSize(Var x, const std::string& axis) {
  const Mesh* mesh = x.tape()->mesh();
  if (mesh == nullptr) return 1;
  const auto index = mesh->AxisIndex(axis);
  // GetPart says what is wrong with it.
  return index.ok() ? mesh->axes()[*index].size : 1;
}

// What joins the parts of a block: of features, or of features on the way in
// and positions on the way out.
struct Joints {
  const ParallelBlockOptions& options;

  Var Enter(Var x) const {
    if (!options.sequence_parallel) return x;
    return all_gather(x, options.axis, 1);
  }
  // The sum over the ranks' features of a row layer.
  Var Leave(Var partial) const {
    if (!options.sequence_parallel) return psum(partial, {options.axis});
    return reduce_scatter(partial, options.axis, 1);
  }
};

// A row layer with another end.
Var RowInto(Params& params,
            const std::string& name,
            Var x,
            std::int64_t out,
            const Joints& joints) {
  if (!x.valid()) return x;
  const Tape::Call call(x, name);
  Params mine = params.Scope(name);
  const std::string& axis = joints.options.axis;
  const std::int64_t in = x.shape()[x.rank() - 1] * AxisSize(x, axis);
  const Var w = mine.GetPart("w", {in, out}, 0, axis, LecunNormal(in));
  return joints.Leave(MultiplyFeatures(mine, x, w)) +
         mine.InComputeType(mine.Get("b", {out}, Zeros()));
}

Var Attention(Params& params,
              const std::string& name,
              Var x,
              std::int64_t width,
              const Joints& joints) {
  if (!x.valid()) return x;
  const Tape::Call call(x, name);
  const ParallelBlockOptions& options = joints.options;
  Params mine = params.Scope(name);
  const std::int64_t heads = options.heads / AxisSize(x, options.axis);
  const auto part = [&](const char* which) {
    return SplitHeads(column_linear(mine, which, x, width, options.axis),
                      heads);
  };
  const Var q = part("q");
  const Var k = part("k");
  const Var v = part("v");
  const Var y = attention(q, k, v, {.causal = options.causal});
  return RowInto(mine, "out", JoinHeads(y), width, joints);
}

}  // namespace

Var column_linear(Params& params,
                  const std::string& name,
                  Traced input,
                  std::int64_t out,
                  const std::string& axis,
                  const LinearOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  const Var x = input.var();
  const std::int64_t in = FeaturesOf(x);
  if (in < 0) return Var(x.tape(), -1);
  Params mine = params.Scope(name);
  const Var w = mine.GetPart(
      "w", {in, out}, 1, axis, options.init.value_or(LecunNormal(in)));
  const Var b =
      options.bias ? mine.GetPart("b", {out}, 0, axis, Zeros()) : Var();
  return MultiplyFeatures(mine, x, w, b);
}

Var row_linear(Params& params,
               const std::string& name,
               Traced input,
               std::int64_t out,
               const std::string& axis,
               const LinearOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  const Var x = input.var();
  const std::int64_t part = FeaturesOf(x);
  if (part < 0) return Var(x.tape(), -1);
  Params mine = params.Scope(name);
  const std::int64_t in = part * AxisSize(x, axis);
  const Var w = mine.GetPart(
      "w", {in, out}, 0, axis, options.init.value_or(LecunNormal(in)));
  const Var y = psum(MultiplyFeatures(mine, x, w), {axis});
  if (!options.bias) return y;
  return y + mine.InComputeType(mine.Get("b", {out}, Zeros()));
}

Var parallel_transformer_block(Params& params,
                               const std::string& name,
                               Traced input,
                               const ParallelBlockOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  Var x = input.var();
  const std::int64_t ranks = AxisSize(x, options.axis);
  if (x.rank() != 3 || options.heads < 1 || options.heads % ranks != 0 ||
      x.shape()[2] % options.heads != 0) {
    return x.tape()->Fail(
        {},
        "",
        ConfigError("expected x (batch, seq, width), a width that "
                    "divides into ",
                    options.heads,
                    " heads, and heads that divide over ",
                    ranks,
                    " ranks of ",
                    options.axis,
                    "; got ",
                    x.shape()));
  }
  Params mine = params.Scope(name);
  Params mlp = mine.Scope("mlp");
  const std::int64_t width = x.shape()[2];
  const Joints joints{options};
  x = x + Attention(mine,
                    "attention",
                    joints.Enter(layer_norm(mine, "norm0", x)),
                    width,
                    joints);
  const Var hidden = column_linear(mlp,
                                   "layer0",
                                   joints.Enter(layer_norm(mine, "norm1", x)),
                                   options.expansion * width,
                                   options.axis);
  return x + RowInto(mlp,
                     "layer1",
                     activate(hidden, options.activation),
                     width,
                     joints);
}

}  // namespace gyre
