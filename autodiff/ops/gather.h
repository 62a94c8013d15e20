// Reading and writing by index: graph networks, lookup tables, stations.
//
//   Var at_edges = gather(nodes, senders, 0);            // (edges, width)
//   Var inbox = segment_sum(messages, receivers, n, 0);  // (nodes, width)
//
// Indices are i32 or i64 of any shape, never differentiated, and may change
// from step to step. In what follows x is (outer..., extent, inner...) with
// the extent on `axis`, and indices have the shape I.
//
// An index below 0 or not below the extent is out of range: it never reads or
// writes memory that is not its own. gather gives NaN there (0 in types that
// have no NaN), so that the fault shows; the writing operations leave it out,
// so that -1 pads a list of edges; one_hot gives a row of 0.
//
// Sums run in the order of the indices in memory, one after the other, in f32
// for bf16 and f16: the same bits on every run (N9).
//
// WARNING 1: negative indices do not count from the end, as in Python.

#ifndef GYRE_AUTODIFF_OPS_GATHER_H_
#define GYRE_AUTODIFF_OPS_GATHER_H_

#include <cstdint>

#include "gyre/autodiff/var.h"

namespace gyre {

// (outer..., I..., inner...): slices of x at the indices. Gradient: the
// scatter_add of the slices' gradients; repeated indices add up.
// Errors: no such axis, indices that are not i32 or i64, more than 8 axes.
Var gather(Traced x, Traced indices, int axis);

// x with updates (outer..., I..., inner...) added at the indices. Gradient of
// x: all of it; of the updates: the gather of it, 0 where out of range.
// Errors: as gather; updates of another shape or type.
Var scatter_add(Traced x, Traced indices, Traced updates, int axis);

// Element s of the result's axis, of extent `segments`, is the sum of those
// slices of x whose id is s; 0 for a segment of none. `ids` has one axis, as
// long as `axis` of x, in any order. Gradient: gather.
// Errors: ids of another shape, a negative number of segments.
Var segment_sum(Traced x, Traced ids, std::int64_t segments, int axis = 0);

// (I..., depth): 1 where the index is the position, 0 elsewhere. No gradient.
Var one_hot(Traced indices, std::int64_t depth, DType dtype = DType::kF32);

// (I..., width): the rows of a table (rows, width). The same as gather along
// axis 0, with the errors said for a table.
Var embedding(Traced table, Traced ids);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_GATHER_H_
