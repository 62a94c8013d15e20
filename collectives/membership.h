// Who is in the world, and who gave up: the life of ranks in shared memory.

#ifndef GYRE_COLLECTIVES_MEMBERSHIP_H_
#define GYRE_COLLECTIVES_MEMBERSHIP_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gyre/collectives/control_area.h"
#include "gyre/collectives/describe.h"
#include "gyre/collectives/shared_space.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// Lays out an empty world in zeroed memory of WorldAreaBytes(ranks). Payloads
// up to `small_bytes` go through the stages: all ranks must agree on that.
void InitWorld(WorldHeader& world,
               int ranks,
               std::uint64_t token,
               std::size_t small_bytes);

// This rank is here. Error: another process has joined as the same rank.
Status JoinWorldAs(WorldHeader& world, int rank);
// This rank goes in peace: peers that do not need it any more are not told.
void LeaveWorldAs(WorldHeader& world, int rank);

struct AbortNotice {
  int rank;
  ErrorKind kind;
  std::string text;
};
// The first of several counts.
void PostAbort(WorldHeader& world, int rank, const Status& why);
std::optional<AbortNotice> ReadAbort(const WorldHeader& world);

// An error when a rank gave up, when one of `needed` has left, or, with
// `processes`, when a rank's process has ended without leaving. `waiting` is
// what this rank waits in, for the message.
Status CheckMembers(SharedSpace& space,
                    std::span<const int> needed,
                    bool processes,
                    const Waiting& waiting);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MEMBERSHIP_H_
