#include "gyre/collectives/membership.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "gyre/collectives/futex.h"

namespace gyre::internal::inline collectives {
namespace {

std::uint32_t Code(PeerState state) {
  return static_cast<std::uint32_t>(state);
}

// Whoever sleeps in a collective of the whole world looks around at once;
// sleepers of sub-groups do so within a slice of their wait.
void WakeWorld(WorldHeader& world) {
  FutexWakeAll(WorldBlock(world).header().arrivals);
}

bool HasLeft(WorldHeader& world, int rank) {
  return world.peer(rank).state.load() == Code(PeerState::kLeft);
}

std::int32_t PidOf(WorldHeader& world, int rank) {
  return world.peer(rank).pid.load();
}

// Says which ranks' process has ended without a word.
Status CheckProcesses(SharedSpace& space, const Waiting& waiting) {
  WorldHeader& world = space.header();
  // All ranks of the first process that is gone.
  std::vector<int> lost;
  for (const int rank : space.Ended()) {
    if (HasLeft(world, rank)) continue;
    if (lost.empty() || PidOf(world, rank) == PidOf(world, lost[0])) {
      lost.push_back(rank);
    }
  }
  if (lost.empty()) return OkStatus();
  return LostError(lost,
                   Cat(lost.size() == 1 ? "its" : "their",
                       " process (",
                       PidOf(world, lost[0]),
                       ") has ended, killed or without a word"),
                   waiting);
}

}  // namespace

void InitWorld(WorldHeader& world,
               int ranks,
               std::uint64_t token,
               std::size_t small_bytes) {
  world.version = kAreaVersion;
  world.ranks = static_cast<std::uint32_t>(ranks);
  world.token = token;
  world.small_bytes = std::min(small_bytes, kStageBytes);
  world.end.store(WorldAreaBytes(ranks));
  world.magic.store(kAreaMagic);
}

Status JoinWorldAs(WorldHeader& world, int rank) {
  PeerCell& me = world.peer(rank);
  std::uint32_t expected = Code(PeerState::kAbsent);
  std::int32_t nobody = 0;
  // The pid is claimed first: a peer that sees kJoined can rely on it.
  if (!me.pid.compare_exchange_strong(nobody, ::getpid()) ||
      !me.state.compare_exchange_strong(expected, Code(PeerState::kJoined))) {
    return ConfigError("rank ",
                       rank,
                       " has joined already, as process ",
                       me.pid.load(),
                       "; each rank of a world is started once "
                       "(is GYRE_RANK passed on to a second program?)");
  }
  return OkStatus();
}

void LeaveWorldAs(WorldHeader& world, int rank) {
  world.peer(rank).departure.store(world.departures.fetch_add(1));
  world.peer(rank).state.store(Code(PeerState::kLeft));
  WakeWorld(world);
}

void PostAbort(WorldHeader& world, int rank, const Status& why) {
  std::uint32_t nobody = 0;
  if (!world.abort_rank.compare_exchange_strong(nobody, rank + 1)) return;
  world.abort_kind.store(static_cast<std::uint32_t>(KindOf(why)));
  world.abort_text.Store(Message(why));
  world.abort_ready.store(1);
  WakeWorld(world);
}

std::optional<AbortNotice> ReadAbort(const WorldHeader& world) {
  if (world.abort_ready.load() == 0) return std::nullopt;
  return AbortNotice{static_cast<int>(world.abort_rank.load()) - 1,
                     static_cast<ErrorKind>(world.abort_kind.load()),
                     world.abort_text.Load()};
}

Status CheckMembers(SharedSpace& space,
                    std::span<const int> needed,
                    bool processes,
                    const Waiting& waiting) {
  WorldHeader& world = space.header();
  if (const auto notice = ReadAbort(world);
      notice.has_value() && notice->rank != space.rank()) {
    return GaveUpError(notice->rank, notice->text, waiting);
  }
  // A lost rank first: others may have left because of it.
  if (processes) GYRE_RETURN_IF_ERROR(CheckProcesses(space, waiting));
  // The first that left: the others may have done so because of it.
  int first = -1;
  for (const int rank : needed) {
    if (!HasLeft(world, rank)) continue;
    if (first < 0 || world.peer(rank).departure.load() <
                         world.peer(first).departure.load()) {
      first = rank;
    }
  }
  return first < 0 ? OkStatus() : LeftError(first, waiting);
}

}  // namespace gyre::internal::inline collectives
