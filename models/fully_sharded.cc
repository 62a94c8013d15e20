#include "models/fully_sharded.h"

#include "autodiff/ops/elementwise.h"
#include "autodiff/ops/matmul.h"
#include "autodiff/ops/mesh_moves.h"
#include "autodiff/ops/shape_ops.h"
#include "autodiff/tape.h"
#include "models/part.h"

namespace gyre {
namespace {

// The first dimension that divides by the ranks of the axis, or -1.
int DividedDim(const Mesh* mesh, const Shape& shape, const std::string& axis) {
  if (mesh == nullptr) return -1;
  const auto index = mesh->AxisIndex(axis);
  if (!index.ok()) return 0;  // GetPart says what is wrong with it
  const std::int64_t ranks = mesh->axes()[*index].size;
  for (int dim = 0; dim < shape.rank(); ++dim) {
    if (ranks > 1 && shape[dim] % ranks == 0) return dim;
  }
  return -1;
}

}  // namespace

Var GetGathered(Params& params,
                const std::string& name,
                Shape shape,
                const std::string& axis,
                const Init& init,
                const char* file,
                int line) {
  const int dim = DividedDim(params.mesh(), shape, axis);
  if (dim < 0) return params.Get(name, std::move(shape), init, file, line);
  const Var part =
      params.GetPart(name, std::move(shape), dim, axis, init, file, line);
  return all_gather({part, file, line}, axis, dim);
}

Var gathered_linear(Params& params,
                    const std::string& name,
                    Var x,
                    std::int64_t out,
                    const std::string& axis,
                    const LinearOptions& options) {
  if (!x.valid()) return x;
  if (x.rank() < 1) {
    x.tape()->NoteError(
        {}, name, ConfigError("expected an axis of features, got a scalar"));
    return Var(x.tape(), -1);
  }
  Params mine = params.Scope(name);
  std::vector<std::int64_t> dims = x.shape().dims();
  const std::int64_t in = dims.back();
  dims.back() = out;
  const Var w = GetGathered(
      mine, "w", {in, out}, axis, options.init.value_or(LecunNormal(in)));
  const Var rows = mine.InComputeType(reshape(x, Shape({-1, in})));
  Var y = matmul(rows, mine.InComputeType(w));
  if (options.bias) {
    y = y + mine.InComputeType(GetGathered(mine, "b", {out}, axis, Zeros()));
  }
  return reshape(y, Shape(std::move(dims)));
}

}  // namespace gyre
