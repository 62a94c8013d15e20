#include "gyre/models/fully_sharded.h"

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/mesh_moves.h"
#include "gyre/models/product.h"

namespace gyre {

using namespace internal;

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
  const Var w = GetGathered(
      mine, "w", {in, out}, axis, options.init.value_or(LecunNormal(in)));
  const Var b =
      options.bias ? GetGathered(mine, "b", {out}, axis, Zeros()) : Var();
  return MultiplyFeatures(mine, x, w, b);
}

}  // namespace gyre
