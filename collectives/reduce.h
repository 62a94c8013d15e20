// Elementwise reductions over the ranks' buffers, in one fixed order.
//
//   const void* sources[] = {a, b, c, d};
//   Reduce(DType::kF32, ReduceOp::kSum, sources, out, count);
//   // out[i] = (a[i] + b[i]) + (c[i] + d[i])
//
// The order is a balanced binary tree by index (numerics contract, N7): n
// sources split at the largest power of two below n, so 3 are (0 1) 2 and
// 5 are ((0 1)(2 3)) 4. An element's result depends on that element of the
// sources alone: any cut of a buffer into pieces gives the same bits.
//
// bf16 and f16 are accumulated in f32 and rounded once. kMin and kMax give
// NaN when any source has NaN (N4). Integers wrap on overflow; the mean of u8
// and i32 is taken from an exact sum and cut towards zero.
//
// WARNING 1: `out` may be one of the sources, or none of them; it must not
// overlap one in part.

#ifndef GYRE_COLLECTIVES_REDUCE_H_
#define GYRE_COLLECTIVES_REDUCE_H_

#include <cstddef>
#include <span>

#include "gyre/core/dtype.h"
#include "gyre/core/status.h"
#include "gyre/mesh/control_record.h"

namespace gyre::internal::inline collectives {

// An error when there is no such reduction: kBool knows kMin (and) and kMax
// (or) only.
Status CheckReducible(DType dtype, ReduceOp op);

// At least one source. GYRE_CHECKs what CheckReducible refuses.
void Reduce(DType dtype,
            ReduceOp op,
            std::span<const void* const> sources,
            void* out,
            std::size_t count);

// The same result to every one of `outs`, at least one. For WARNING 1 each of
// them stands for `out`.
void ReduceToAll(DType dtype,
                 ReduceOp op,
                 std::span<const void* const> sources,
                 std::span<void* const> outs,
                 std::size_t count);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_REDUCE_H_
