// The 64 bytes that travel with every collective, in the flag line of shared
// memory or in a message's header. They carry what the ranks must agree on,
// so that a mismatch, a late rank and a bad number are all found in passing.

#ifndef GYRE_MESH_CONTROL_RECORD_H_
#define GYRE_MESH_CONTROL_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "gyre/core/dtype.h"

namespace gyre::internal::inline mesh {

enum class CollectiveKind : std::uint8_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast,
  kAllToAll,
  kPermute,
  kBarrier,
  kSplit,
  kAllocate,
};

}  // namespace gyre::internal::inline mesh

namespace gyre {

enum class ReduceOp : std::uint8_t { kSum, kMean, kMin, kMax, kProd };

}  // namespace gyre

namespace gyre::internal::inline mesh {

// "all_reduce", ...: as messages and records show it.
constexpr std::string_view Name(CollectiveKind kind) {
  constexpr std::string_view kNames[] = {"all_reduce",
                                         "reduce_scatter",
                                         "all_gather",
                                         "broadcast",
                                         "all_to_all",
                                         "permute",
                                         "barrier",
                                         "split",
                                         "allocate"};
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(kNames) ? kNames[index] : "unknown collective";
}

}  // namespace gyre::internal::inline mesh

namespace gyre {

constexpr std::string_view Name(ReduceOp op) {
  constexpr std::string_view kNames[] = {"sum", "mean", "min", "max", "prod"};
  const auto index = static_cast<std::size_t>(op);
  return index < std::size(kNames) ? kNames[index] : "unknown op";
}

}  // namespace gyre

namespace gyre::internal::inline mesh {

// What one rank tells all others beside the payload. The guard puts its
// local findings here; they travel as integers (numerics contract, N6).
struct Note {
  std::uint32_t flags = 0;     // bits of the caller's choice
  std::uint32_t value = 0;     // a number of the caller's choice
  std::uint64_t checksum = 0;  // of the parameters before the step

  friend bool operator==(const Note&, const Note&) = default;
};

struct ControlRecord {
  std::uint64_t sequence = 0;  // number of the collective in its group
  std::uint64_t count = 0;     // elements per rank
  CollectiveKind kind = CollectiveKind::kBarrier;
  ReduceOp op = ReduceOp::kSum;
  DType dtype = DType::kU8;
  std::uint8_t axis = 0;        // identity of the group
  std::int32_t bucket = -1;     // gradient bucket, -1 for none
  std::int64_t arrival_ns = 0;  // when this rank entered (NowNanos)
  Note note;
  std::uint32_t line = 0;   // the user's source line
  std::uint32_t step = 0;   // training step
  std::uint32_t site = 0;   // hash of the label, the file and the line
  std::uint32_t check = 0;  // hash of the 60 bytes before it

  // True when both ranks mean the same collective.
  bool Matches(const ControlRecord& other) const {
    return sequence == other.sequence && count == other.count &&
           kind == other.kind && op == other.op && dtype == other.dtype &&
           axis == other.axis && bucket == other.bucket && site == other.site;
  }
};
static_assert(sizeof(ControlRecord) == 64);
static_assert(std::is_trivially_copyable_v<ControlRecord>);

}  // namespace gyre::internal::inline mesh

#endif  // GYRE_MESH_CONTROL_RECORD_H_
