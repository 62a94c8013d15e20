// What lies in the memory that all ranks of a world share: its layout.
//
//   offset 0   WorldHeader
//              PeerCell per rank
//              the world's group block:
//                GroupHeader
//                RankSlot per rank
//                two stages per rank
//   later      blocks of sub-groups, and the memory that Allocate gives out
//
// All zero is the valid state at the start; nothing here holds a pointer that
// another process would follow. README.md tells who writes what and when.

#ifndef GYRE_COLLECTIVES_CONTROL_AREA_H_
#define GYRE_COLLECTIVES_CONTROL_AREA_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "gyre/collectives/shared_text.h"
#include "gyre/core/aligned.h"
#include "gyre/mesh/control_record.h"

namespace gyre::internal::inline collectives {

// A place in shared memory that means the same to every rank: an offset in
// the file, or an address where the ranks share one address space.
using Location = std::uint64_t;
inline constexpr Location kNowhere = ~Location{0};

inline constexpr std::uint64_t kAreaMagic = 0x6779'7265'2d73'686dULL;
inline constexpr std::uint32_t kAreaVersion = 3;
inline constexpr int kMaxLocalRanks = 1024;

enum class PeerState : std::uint32_t { kAbsent, kJoined, kLeft };

// One rank's life in the world. Written by that rank.
struct alignas(64) PeerCell {
  std::atomic<std::uint32_t> state;  // PeerState
  std::atomic<std::int32_t> pid;
  std::atomic<std::uint32_t> departure;  // its place among those that left
  std::atomic<std::int64_t> step;        // of SetActivity, plus 1; 0 is none
  SharedText<48> activity;
};

struct alignas(64) WorldHeader {
  std::atomic<std::uint64_t> magic;  // written last by the creator
  std::uint32_t version;
  std::uint32_t ranks;
  std::uint64_t token;                     // hash of the run's token
  std::uint64_t small_bytes;               // payloads up to it need one barrier
  std::atomic<std::uint64_t> end;          // of what is reserved so far
  std::atomic<std::uint32_t> groups;       // made so far, beside the world
  std::atomic<std::uint32_t> departures;   // ranks that have left so far
  std::atomic<std::uint32_t> abort_rank;   // plus 1; 0 while nobody gave up
  std::atomic<std::uint32_t> abort_ready;  // 1 when kind and text are written
  std::atomic<std::uint32_t> abort_kind;   // ErrorKind
  SharedText<512> abort_text;

  PeerCell& peer(int rank) {
    return reinterpret_cast<PeerCell*>(this + 1)[rank];
  }
};

struct alignas(64) GroupHeader {
  // Counts every arrival of every rank, modulo 2^32: phase k is complete when
  // it has reached k times the size of the group. Ranks sleep on it.
  std::atomic<std::uint32_t> arrivals;
  std::atomic<std::uint32_t> sleepers;
};

// A rank goes on, cannot, or has waited in vain (GroupFailure::late).
enum class FailureState : std::uint32_t { kNone, kFailed, kLate };

// How a rank's buffers of the current collective can be reached.
struct BufferPlace {
  Location in;
  Location out;
  std::uint64_t detail;  // what must agree beside the record: root, sources
  std::uint64_t direct;  // 1: peers may read `in` (and write `out`) in place
};

struct alignas(64) RankSlot {
  // Written before an arrival, read after it; by parity of the phase.
  ControlRecord records[2];
  BufferPlace places[2];
  // The newest collective that the rank has entered, readable at any moment.
  alignas(64) std::atomic<std::uint32_t> phase;
  std::atomic<std::uint32_t> kind;
  std::atomic<std::uint64_t> sequence;
  std::atomic<std::int64_t> step;
  std::atomic<std::uint32_t> line;
  SharedText<48> file;
  SharedText<96> label;
  // Why the rank does not go on in this group, once it does not.
  std::atomic<std::uint32_t> failed;  // FailureState, written last
  std::atomic<std::uint64_t> failed_sequence;
  SharedText<512> failure;
};

// Bytes that a rank can lay out for its peers at a time, when its buffer is
// not in shared memory, or when the payload is so small (WorldHeader) that the
// copies cost less than a second barrier.
inline constexpr std::size_t kStageBytes = std::size_t{128} << 10;

// Parts of the ranks must not start at the same place in a page: caches would
// map them to the same few sets.
inline constexpr std::size_t kSkew = 832;
inline constexpr std::size_t kStageStride = kStageBytes + kSkew;

// One group's part of the area.
class GroupBlock {
 public:
  GroupBlock(std::byte* base, int size) : base_(base), size_(size) {}

  static std::size_t Bytes(int size) {
    return sizeof(GroupHeader) + size * (sizeof(RankSlot) + 2 * kStageStride);
  }

  GroupHeader& header() const { return *reinterpret_cast<GroupHeader*>(base_); }
  RankSlot& slot(int rank) const {
    return reinterpret_cast<RankSlot*>(base_ + sizeof(GroupHeader))[rank];
  }
  std::byte* stage(int rank, std::uint32_t phase) const {
    return base_ + sizeof(GroupHeader) + size_ * sizeof(RankSlot) +
           (2 * rank + phase % 2) * kStageStride;
  }

 private:
  std::byte* base_;
  int size_;
};

// Where the world's own block starts, and where it ends.
inline std::size_t WorldBlockOffset(int ranks) {
  return sizeof(WorldHeader) + ranks * sizeof(PeerCell);
}
inline GroupBlock WorldBlock(WorldHeader& world) {
  const int ranks = static_cast<int>(world.ranks);
  return GroupBlock(
      reinterpret_cast<std::byte*>(&world) + WorldBlockOffset(ranks), ranks);
}
inline std::size_t WorldAreaBytes(int ranks) {
  return AlignUp(WorldBlockOffset(ranks) + GroupBlock::Bytes(ranks), 4096);
}

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_CONTROL_AREA_H_
