// What a collective moves, apart from how ranks meet: from the pieces that
// the peers lay out to this rank's result.
//
// Each rank lays out `parts` pieces of `count` elements, piece q at
// q * part_stride bytes. The same code reads them in the peers' own buffers
// or in their stages.

#ifndef GYRE_COLLECTIVES_EXCHANGE_H_
#define GYRE_COLLECTIVES_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gyre/core/dtype.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline collectives {

struct Exchange {
  CollectiveKind kind = CollectiveKind::kBarrier;
  ReduceOp op = ReduceOp::kSum;
  DType dtype = DType::kU8;
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::size_t count = 0;      // elements of a piece
  std::size_t announced = 0;  // the count that ranks compare; mostly `count`
  std::size_t parts = 1;      // pieces in `in`
  std::size_t out_parts = 1;  // pieces in `out`
  bool sends = true;          // false: peers read nothing of this rank
  int source = -1;            // kBroadcast: the root; kPermute: whom to read
  std::span<const int> sources = {};  // kPermute: of every rank
  std::uint64_t detail = 0;           // what must agree beside the record

  std::size_t PieceBytes() const { return count * SizeOf(dtype); }
  std::size_t InBytes() const { return parts * PieceBytes(); }
  std::size_t OutBytes() const { return out_parts * PieceBytes(); }
};

// Where the pieces of every rank lie.
struct Layout {
  std::vector<const std::byte*> bases;  // by rank of the group
  std::size_t part_stride = 0;          // bytes
};

// Copies elements [first, first + count) of each piece of `in` to `stage`,
// one after the other.
void Stage(const Exchange& exchange,
           std::size_t first,
           std::size_t count,
           std::byte* stage);

// Fills elements [first, first + count) of each piece of `out`. The layout's
// pieces start at element `first`.
void Take(const Exchange& exchange,
          const Layout& layout,
          int me,
          std::size_t first,
          std::size_t count);

// True when peers may read `in` while this rank writes `out`.
bool ReadableInPlace(const Exchange& exchange, int me);

// The part of `count` elements that rank `me` of `size` reduces: whole cache
// lines, so that no two ranks write to the same one.
struct Slice {
  std::size_t first = 0;
  std::size_t count = 0;
};
Slice SliceOf(std::size_t count, std::size_t element_bytes, int me, int size);

// The all-reduce of a slice by one rank for all: read from every one of
// `ins`, written to every one of `outs`.
void ReduceForAll(const Exchange& exchange,
                  std::span<const std::byte* const> ins,
                  std::span<std::byte* const> outs,
                  const Slice& slice);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_EXCHANGE_H_
