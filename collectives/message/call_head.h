// What the first message of a collective says before its payload: the record
// that all ranks hold against each other, and the texts for their messages.

#ifndef GYRE_COLLECTIVES_MESSAGE_CALL_HEAD_H_
#define GYRE_COLLECTIVES_MESSAGE_CALL_HEAD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "gyre/collectives/describe.h"
#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline collectives {

// As it goes over the wire. All hosts of a run have one byte order and one
// build, which the launcher's rendezvous checks.
struct CallHead {
  std::uint64_t magic = kMagic;
  ControlRecord record;
  std::uint64_t detail = 0;  // root, sources: what must agree as well
  std::uint64_t plan = 0;    // how payloads are cut (MessageOptions)
  std::array<char, 48> file = {};
  std::array<char, 96> label = {};

  static constexpr std::uint64_t kMagic = 0x6779'7265'6361'6c31ULL;

  // True when both ranks can go on together.
  bool Agrees(const CallHead& other) const {
    return record.Matches(other.record) && detail == other.detail &&
           plan == other.plan;
  }
};
static_assert(std::is_trivially_copyable_v<CallHead>);

CallHead MakeCallHead(const ControlRecord& record,
                      std::uint64_t detail,
                      std::uint64_t plan,
                      const CallSite& site);

// An error when the bytes are no head, or a damaged one. `from`: a rank of
// the world.
StatusOr<CallHead> ParseCallHead(std::span<const std::byte> bytes, int from);

std::span<const std::byte> BytesOf(const CallHead& head);

// For messages.
CallText TextOf(const CallHead& head, int world_rank);

// "last seen in barrier #3 (end of epoch) at train.cc:88, step 7"
std::string LastSeen(const CallHead& head);

// The two disagree.
Status Disagreement(const CallHead& a,
                    int world_rank_a,
                    const CallHead& b,
                    int world_rank_b);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_CALL_HEAD_H_
