#include "gyre/collectives/exchange.h"

#include <algorithm>
#include <cstring>

#include "gyre/collectives/reduce.h"
#include "gyre/core/aligned.h"
#include "gyre/core/check.h"

namespace gyre::internal::inline collectives {
namespace {

void Copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, bytes);
}

bool Overlap(const std::byte* a,
             std::size_t a_bytes,
             const std::byte* b,
             std::size_t b_bytes) {
  const auto a0 = reinterpret_cast<std::uintptr_t>(a);
  const auto b0 = reinterpret_cast<std::uintptr_t>(b);
  return a_bytes > 0 && b_bytes > 0 && a0 < b0 + b_bytes && b0 < a0 + a_bytes;
}

void TakeReduced(const Exchange& exchange,
                 const Layout& layout,
                 int me,
                 std::byte* out,
                 std::size_t count) {
  const std::size_t skip = exchange.parts > 1 ? me * layout.part_stride : 0;
  std::vector<const void*> sources;
  for (const std::byte* base : layout.bases) sources.push_back(base + skip);
  Reduce(exchange.dtype, exchange.op, sources, out, count);
}

}  // namespace

void Stage(const Exchange& exchange,
           std::size_t first,
           std::size_t count,
           std::byte* stage) {
  if (!exchange.sends) return;
  const std::size_t element = SizeOf(exchange.dtype);
  const std::size_t bytes = count * element;
  for (std::size_t q = 0; q < exchange.parts; ++q) {
    Copy(stage + q * bytes,
         exchange.in + (q * exchange.count + first) * element,
         bytes);
  }
}

void Take(const Exchange& exchange,
          const Layout& layout,
          int me,
          std::size_t first,
          std::size_t count) {
  if (count == 0) return;
  const std::size_t element = SizeOf(exchange.dtype);
  const std::size_t bytes = count * element;
  const auto piece = [&](std::size_t q) {
    return exchange.out + (q * exchange.count + first) * element;
  };
  switch (exchange.kind) {
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kReduceScatter:
      TakeReduced(exchange, layout, me, piece(0), count);
      return;
    case CollectiveKind::kAllToAll:
      for (std::size_t r = 0; r < layout.bases.size(); ++r) {
        Copy(piece(r), layout.bases[r] + me * layout.part_stride, bytes);
      }
      return;
    case CollectiveKind::kBroadcast:
      if (exchange.source != me) {
        Copy(piece(0), layout.bases[exchange.source], bytes);
      }
      return;
    case CollectiveKind::kPermute:
      if (exchange.source < 0) {
        std::memset(piece(0), 0, bytes);
      } else {
        Copy(piece(0), layout.bases[exchange.source], bytes);
      }
      return;
    case CollectiveKind::kBarrier:
      return;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kSplit:
    case CollectiveKind::kAllocate:
      for (std::size_t r = 0; r < layout.bases.size(); ++r) {
        Copy(piece(r), layout.bases[r], bytes);
      }
      return;
  }
}

bool ReadableInPlace(const Exchange& exchange, int me) {
  // Peers read nothing that the all-reduce has not finished with, and only
  // the root's buffer in a broadcast.
  if (exchange.kind == CollectiveKind::kAllReduce ||
      exchange.kind == CollectiveKind::kBroadcast) {
    return true;
  }
  if (!Overlap(
          exchange.in, exchange.InBytes(), exchange.out, exchange.OutBytes())) {
    return true;
  }
  // In place, the MPI way: this rank alone reads what it overwrites.
  const std::size_t mine = me * exchange.PieceBytes();
  if (exchange.kind == CollectiveKind::kAllGather) {
    return exchange.in == exchange.out + mine;
  }
  return exchange.kind == CollectiveKind::kReduceScatter &&
         exchange.out == exchange.in + mine;
}

void ReduceForAll(const Exchange& exchange,
                  std::span<const std::byte* const> ins,
                  std::span<std::byte* const> outs,
                  const Slice& slice) {
  const std::size_t offset = slice.first * SizeOf(exchange.dtype);
  std::vector<const void*> sources;
  for (const std::byte* in : ins) sources.push_back(in + offset);
  std::vector<void*> targets;
  for (std::byte* out : outs) targets.push_back(out + offset);
  ReduceToAll(exchange.dtype, exchange.op, sources, targets, slice.count);
}

Slice SliceOf(std::size_t count, std::size_t element_bytes, int me, int size) {
  const std::size_t line = kAlignment / element_bytes;
  const std::size_t lines = (count + line - 1) / line;
  const std::size_t share = lines / size;
  const std::size_t extra = lines % size;
  const auto start = [&](std::size_t r) {
    return std::min(count, (r * share + std::min(r, extra)) * line);
  };
  const std::size_t first = start(me);
  return {first, start(me + 1) - first};
}

}  // namespace gyre::internal::inline collectives
