#include "gyre/autodiff/ops/mesh_moves.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "gyre/autodiff/ops/arrange.h"
#include "gyre/autodiff/ops/collective_op.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/mesh_move_ops.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre {

using namespace internal;

namespace {

StatusOr<MeshLine> FindLine(Var x, std::string_view axis) {
  const Mesh* mesh = x.tape()->mesh();
  if (mesh == nullptr) {
    return ConfigError(
        "axis \"", axis, "\": this tape has no mesh; make it with Tape(&mesh)");
  }
  GYRE_ASSIGN_OR_RETURN(const int index, mesh->AxisIndex(axis));
  return MeshLine{
      AxisSet{1} << index, mesh->axes()[index].size, std::string(axis)};
}

// A call: its operand, its axis and its place, or the first error.
struct Call {
  Call(const Traced& traced, std::string_view axis, std::string_view op)
      : at(traced), x(traced.var()), name(op) {
    if (!x.valid()) return;
    auto found = FindLine(x, axis);
    if (found.ok()) {
      line = *std::move(found);
    } else {
      Fail(found.status());
    }
  }

  void Fail(const Status& status) { x = at.Fail(x, name, status); }
  // The dimension, counted from the front.
  int Dim(int dim) {
    if (!x.valid()) return 0;
    const auto normal = x.shape().NormalizeAxis(dim);
    if (!normal.ok()) Fail(normal.status());
    return normal.ok() ? *normal : 0;
  }
  // The extent of a rank's part along `dim`.
  std::int64_t PartOf(int dim) {
    if (!x.valid()) return 0;
    const std::int64_t extent = x.shape()[dim];
    if (extent % line.size != 0) {
      Fail(ConfigError("extent ",
                       extent,
                       " of dimension ",
                       dim,
                       " of shape ",
                       x.shape(),
                       " is not a multiple of the ",
                       line.size,
                       " ranks of ",
                       line.name,
                       "; pad it, and mask what was padded"));
    }
    return extent / line.size;
  }

  template <class OpType, class... Args>
  Var Record(Var operand, Args&&... args) const {
    if (!operand.valid()) return operand;
    return at.Record(
        std::make_shared<OpType>(line, std::forward<Args>(args)...), operand);
  }

  Located at;
  Var x;
  std::string_view name;
  MeshLine line;
};

// (..., size * part, ...) as (size, ..., part, ...).
Var PartsFirst(const Call& call, Var x, int dim, std::int64_t part) {
  if (!x.valid()) return x;
  std::vector<std::int64_t> dims = x.shape().dims();
  dims[dim] = part;
  dims.insert(dims.begin() + dim, call.line.size);
  return moveaxis(call.at(reshape(call.at(x), Shape(std::move(dims)))), dim, 0);
}

// The way back: the leading extent joins dimension `dim` of the rest.
Var PartsAlong(const Call& call, Var parts, int dim) {
  if (!parts.valid()) return parts;
  const Var moved = moveaxis(call.at(parts), 0, dim);
  if (!moved.valid()) return moved;
  std::vector<std::int64_t> dims = moved.shape().dims();
  dims[dim] *= dims[dim + 1];
  dims.erase(dims.begin() + dim + 1);
  return reshape(call.at(moved), Shape(std::move(dims)));
}

Var Gather(Call call, int dim, bool same) {
  const int along = call.Dim(dim);
  if (!call.x.valid()) return call.x;
  return PartsAlong(
      call,
      call.Record<MeshGatherOp>(Varying(call.at(call.x), call.line), same),
      along);
}

Status CheckSources(const std::vector<int>& sources, const MeshLine& line) {
  if (static_cast<int>(sources.size()) != line.size) {
    return ConfigError("expected a source for each of the ",
                       line.size,
                       " ranks of ",
                       line.name,
                       ", got ",
                       sources.size());
  }
  std::vector<int> receivers(sources.size(), 0);
  for (const int source : sources) {
    if (source < -1 || source >= line.size) {
      return ConfigError("source ",
                         source,
                         " is no rank of ",
                         line.name,
                         ", which has ",
                         line.size,
                         "; -1 stands for none");
    }
    if (source >= 0 && ++receivers[source] > 1) {
      return ConfigError("two ranks receive from rank ",
                         source,
                         " of ",
                         line.name,
                         "; a permutation sends to one. Use all_gather");
    }
  }
  return OkStatus();
}

std::vector<int> ShiftSources(int size, int by, HaloEdge edge) {
  std::vector<int> sources(size, -1);
  for (int r = 0; r < size; ++r) {
    const int source = r - by;
    if (edge == HaloEdge::kCircular) {
      sources[r] = (source % size + size) % size;
    } else if (source >= 0 && source < size) {
      sources[r] = source;
    }
  }
  return sources;
}

struct AxesFound {
  AxisSet set = 0;
  int ranks = 1;
};

StatusOr<AxesFound> FindAxes(Var x, const std::vector<std::string>& names) {
  AxesFound found;
  for (const std::string& name : names) {
    GYRE_ASSIGN_OR_RETURN(const MeshLine line, FindLine(x, name));
    if ((found.set & line.axis) != 0) {
      return ConfigError("axis \"", name, "\" is named twice");
    }
    found.set |= line.axis;
    found.ranks *= line.size;
  }
  return found;
}

Var SumOver(const Traced& x,
            const std::vector<std::string>& axes,
            bool mean,
            std::string_view name) {
  Var var = x.var();
  if (!var.valid()) return var;
  const Located at(x);
  const auto found = FindAxes(var, axes);
  if (!found.ok()) return at.Fail(var, name, found.status());
  if (found->set == 0) return var;
  if (const AxisSet missing = found->set & ~var.varies(); missing != 0) {
    var = at.Record(std::make_shared<VaryOp>(missing), var);
  }
  const Var sum = at.Record(std::make_shared<PsumOp>(found->set), var);
  return mean ? at(sum) * at(1.0 / found->ranks) : sum;
}

}  // namespace

Var all_gather(Traced x, std::string_view axis, int dim) {
  return Gather(Call(x, axis, "all_gather"), dim, false);
}

Var all_gather_same(Traced x, std::string_view axis, int dim) {
  return Gather(Call(x, axis, "all_gather_same"), dim, true);
}

Var reduce_scatter(Traced x, std::string_view axis, int dim) {
  Call call(x, axis, "reduce_scatter");
  const int along = call.Dim(dim);
  const std::int64_t part = call.PartOf(along);
  if (!call.x.valid()) return call.x;
  return call.Record<MeshScatterSumOp>(
      PartsFirst(call, Varying(call.at(call.x), call.line), along, part));
}

Var own_part(Traced x, std::string_view axis, int dim) {
  Call call(x, axis, "own_part");
  const int along = call.Dim(dim);
  const std::int64_t part = call.PartOf(along);
  if (!call.x.valid()) return call.x;
  return call.Record<MeshOwnPartOp>(PartsFirst(call, call.x, along, part));
}

Var all_to_all(Traced x, std::string_view axis, int split_dim, int concat_dim) {
  Call call(x, axis, "all_to_all");
  const int from = call.Dim(split_dim);
  const int to = call.Dim(concat_dim);
  const std::int64_t part = call.PartOf(from);
  if (!call.x.valid()) return call.x;
  const Var parts =
      PartsFirst(call, Varying(call.at(call.x), call.line), from, part);
  return PartsAlong(call, call.Record<MeshAllToAllOp>(parts), to);
}

Var permute(Traced x, std::string_view axis, const std::vector<int>& sources) {
  Call call(x, axis, "permute");
  if (!call.x.valid()) return call.x;
  if (Status status = CheckSources(sources, call.line); !status.ok()) {
    call.Fail(status);
    return call.x;
  }
  return call.Record<MeshPermuteOp>(Varying(call.at(call.x), call.line),
                                    sources);
}

Var shift(Traced x, std::string_view axis, int by, HaloEdge edge) {
  Call call(x, axis, "shift");
  if (!call.x.valid()) return call.x;
  return call.Record<MeshPermuteOp>(Varying(call.at(call.x), call.line),
                                    ShiftSources(call.line.size, by, edge));
}

Var halo_exchange(Traced x,
                  std::string_view axis,
                  int dim,
                  std::int64_t before,
                  std::int64_t after,
                  HaloEdge edge) {
  Call call(x, axis, "halo_exchange");
  const int along = call.Dim(dim);
  if (!call.x.valid()) return call.x;
  const std::int64_t rows = call.x.shape()[along];
  if (before < 0 || after < 0 || before > rows || after > rows) {
    call.Fail(ConfigError("a halo of ",
                          before,
                          " rows before and ",
                          after,
                          " after, of shards of ",
                          rows,
                          " rows along dimension ",
                          along,
                          ": a halo comes from the next rank alone, and is "
                          "from 0 to as wide as a shard"));
    return call.x;
  }
  const Traced own = call.at(Varying(call.at(call.x), call.line));
  std::vector<Var> parts;
  if (before > 0) {
    const Var last = slice(own, along, rows - before, rows);
    parts.push_back(shift(call.at(last), axis, 1, edge));
  }
  parts.push_back(own.var());
  if (after > 0) {
    const Var first = slice(own, along, 0, after);
    parts.push_back(shift(call.at(first), axis, -1, edge));
  }
  if (parts.size() == 1) return parts[0];
  return concat(parts, along, call.at.loc().file, call.at.loc().line);
}

Var axis_index(Traced like, std::string_view axis) {
  const Call call(like, axis, "axis_index");
  return call.Record<MeshIndexOp>(call.x);
}

Var psum(Traced x, const std::vector<std::string>& axes) {
  return SumOver(x, axes, false, "psum");
}

Var pmean(Traced x, const std::vector<std::string>& axes) {
  return SumOver(x, axes, true, "pmean");
}

}  // namespace gyre
