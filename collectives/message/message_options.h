// How a MessageCommunicator cuts payloads. The same on all ranks; a rank that
// differs is named at the first collective.

#ifndef GYRE_COLLECTIVES_MESSAGE_MESSAGE_OPTIONS_H_
#define GYRE_COLLECTIVES_MESSAGE_MESSAGE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gyre/collectives/shared_space.h"

namespace gyre::internal::inline collectives {

enum class MessageAlgorithm : std::uint8_t {
  kAuto,    // direct up to kMaxDirectRanks ranks in the world, or in two
            // levels; ring beyond
  kDirect,  // every rank with every rank; the tree order of all backends
  kRing,    // from rank to next rank; another order, see README.md
};
inline constexpr int kMaxDirectRanks = 16;

struct MessageOptions {
  MessageAlgorithm algorithm = MessageAlgorithm::kAuto;
  // Where a rank gets no more than this from all others together, everybody
  // sends everything to everybody: one step instead of two or more.
  std::size_t small_bytes = std::size_t{192} << 10;
  // What is reduced, or passed on, while later pieces are on their way.
  std::size_t block_bytes = std::size_t{1} << 20;
  // What is under way at a time; bounds the memory beside the user's.
  std::size_t window_bytes = std::size_t{64} << 20;
  // Two levels: what each rank lays out for its host at a time.
  std::size_t host_stage_bytes = std::size_t{8} << 20;
};

// Where the ranks are, for reductions in two levels: within a host through
// shared memory, between hosts by messages.
struct HostPlacement {
  std::vector<int> hosts;  // of each rank of the world: any numbers
  // The memory that the ranks of this rank's host share.
  std::shared_ptr<SharedSpace> space;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_MESSAGE_OPTIONS_H_
