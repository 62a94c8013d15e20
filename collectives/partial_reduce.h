// Reductions in several places: what one place has of a sum travels on as a
// partial result, in the type that sums are kept in, and nothing is rounded
// before the end. So the bits are those of one place with all the data.
//
//   const ReduceTerm here[] = {{r0}, {r1}};
//   ReducePartial(dtype, op, ChainOver(2), here, partial, count);
//   // elsewhere:
//   const ReduceTerm terms[] = {{partial, true}, {r2}};
//   ReduceFinal(dtype, op, ChainOver(2), terms, 3, out, count);
//
// The order is an expression over terms; a term is one rank's elements, or a
// partial result.

#ifndef GYRE_COLLECTIVES_PARTIAL_REDUCE_H_
#define GYRE_COLLECTIVES_PARTIAL_REDUCE_H_

#include <cstddef>
#include <span>
#include <vector>

#include "gyre/core/dtype.h"
#include "gyre/mesh/control_record.h"

namespace gyre::internal::inline collectives {

// Bytes of one element of a partial result: f32 for f32, bf16 and f16; f64;
// i64 for i32 and i64; u32 for u8 and bool.
std::size_t PartialBytes(DType dtype);
// True when the elements of one rank are a partial result as they lie.
bool IsOwnPartial(DType dtype);

struct ReduceTerm {
  const void* data = nullptr;
  bool partial = false;
};

// An expression: a node is a term (`term` >= 0) or left + right. The last
// node is the whole. WARNING 1: no term is used twice.
struct ReduceNode {
  int term = -1;
  int left = -1;
  int right = -1;
};
using ReduceOrder = std::vector<ReduceNode>;

// ((t0 + t1) + t2) + ...
ReduceOrder ChainOver(int terms);

// Ranks [first, first + count), a node of the balanced tree over all ranks.
struct RankRange {
  int first = 0;
  int count = 0;

  friend bool operator==(const RankRange&, const RankRange&) = default;
};
// The balanced tree over ranks [0, ranks), where the i-th term is the sum over
// `terms[i]`. They must be nodes of it that cover every rank once.
ReduceOrder TreeOver(int ranks, std::span<const RankRange> terms);

// out[i], of PartialBytes: the expression over element i of the terms. `out`
// may be the data of a partial term, and overlaps nothing else.
void ReducePartial(DType dtype,
                   ReduceOp op,
                   const ReduceOrder& order,
                   std::span<const ReduceTerm> terms,
                   void* out,
                   std::size_t count);

// out[i], an element: the same, divided (kMean) by `ranks` and rounded. `out`
// may be the data of an element term, and overlaps nothing else.
void ReduceFinal(DType dtype,
                 ReduceOp op,
                 const ReduceOrder& order,
                 std::span<const ReduceTerm> terms,
                 int ranks,
                 void* out,
                 std::size_t count);

// The sum over the ranks' elements from left to right: the order of the ring.
void ReduceChain(DType dtype,
                 ReduceOp op,
                 std::span<const void* const> sources,
                 void* out,
                 std::size_t count);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_PARTIAL_REDUCE_H_
