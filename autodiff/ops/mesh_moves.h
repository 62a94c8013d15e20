// Numbers that go from rank to rank along an axis of the mesh, inside a model
// or a loss. Every one has a gradient; what the ranks say to each other on
// the way back follows from the types, and nobody has to write it.
//
//   Var whole = all_gather(shard, "model", 1);            // (batch, width)
//   Var mine = reduce_scatter(partial, "model", 1);       // (batch, width / n)
//   Var field = halo_exchange(x, "lon", 3, 1, 1, HaloEdge::kCircular);
//
// An axis is named as in Mesh::Create; `dim` is a dimension of the tensor,
// negative from the end. A Var that does not vary over the axis is taken as
// each rank's own copy. On an axis of one rank all of them cost a copy.
//
//                        varies over the axis   gradient
//   all_gather           yes                    reduce_scatter
//   all_gather_same      no                     own_part
//   reduce_scatter       yes                    all_gather
//   own_part             yes                    all_gather_same
//   all_to_all           yes                    all_to_all, dims swapped
//   permute, shift       yes                    the way back
//   halo_exchange        yes                    halos are added to their owners
//   axis_index           yes                    none
//   psum, pmean          no                     the same gradient for each rank
//
// all_gather_same gives the numbers of all_gather, and is known to be the
// same on all ranks: the form for what is then used alike everywhere, as
// sharded parameters are. After all_gather each rank may go its own way.
//
// Errors, with the caller's line: a tape without a mesh, no such axis (those
// there are listed), an extent that the ranks do not divide.

#ifndef GYRE_AUTODIFF_OPS_MESH_MOVES_H_
#define GYRE_AUTODIFF_OPS_MESH_MOVES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/var.h"

namespace gyre {

// The parts of all ranks of the axis, one after the other along `dim`.
Var all_gather(Traced x, std::string_view axis, int dim);
Var all_gather_same(Traced x, std::string_view axis, int dim);

// The sum over the ranks of the axis, of which rank r keeps the r-th part
// along `dim`.
Var reduce_scatter(Traced x, std::string_view axis, int dim);

// The r-th part along `dim` of a value that is the same on all ranks.
Var own_part(Traced x, std::string_view axis, int dim);

// Part r along `split_dim` goes to rank r; what came is laid one after the
// other along `concat_dim`. Turns a tensor that is split along one dimension
// into one that is split along another.
Var all_to_all(Traced x, std::string_view axis, int split_dim, int concat_dim);

// sources[r] is the rank of the axis that rank r receives from, or -1 for
// zeros. Error: a rank that two others receive from (use all_gather).
Var permute(Traced x, std::string_view axis, const std::vector<int>& sources);

// What happens at the ends of an axis.
enum class HaloEdge {
  kCircular,  // the last rank is the neighbour of the first: longitude
  kZero,      // nothing comes from outside: zeros
};

// Rank r receives what rank r - by has.
Var shift(Traced x, std::string_view axis, int by, HaloEdge edge);

// x with the neighbours' rows around it along `dim`: the last `before` rows
// of the rank before, and the first `after` rows of the one behind. Error:
// a halo that is wider than a shard.
Var halo_exchange(Traced x,
                  std::string_view axis,
                  int dim,
                  std::int64_t before,
                  std::int64_t after,
                  HaloEdge edge);

// This rank's place on the axis, an i32 scalar. `like` says on which tape.
Var axis_index(Traced like, std::string_view axis);

// The sum and the mean over the ranks of the named axes; over those of them
// that x does not vary over, every rank counts with its own copy. (Without
// axes, autodiff/ops/collective.h: over all that x varies over.)
Var psum(Traced x, const std::vector<std::string>& axes);
Var pmean(Traced x, const std::vector<std::string>& axes);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_MESH_MOVES_H_
