// How a MessageCommunicator cuts payloads. The same on all ranks; a rank that
// differs is named at the first collective.

#ifndef GYRE_COLLECTIVES_MESSAGE_MESSAGE_OPTIONS_H_
#define GYRE_COLLECTIVES_MESSAGE_MESSAGE_OPTIONS_H_

#include <cstddef>
#include <cstdint>

namespace gyre {

enum class MessageAlgorithm : std::uint8_t {
  kAuto,    // direct up to kMaxDirectRanks ranks in the world, ring beyond
  kDirect,  // every rank with every rank; the tree order of all backends
  kRing,    // from rank to next rank; another order, see README.md
};
inline constexpr int kMaxDirectRanks = 16;

struct MessageOptions {
  MessageAlgorithm algorithm = MessageAlgorithm::kAuto;
  // Reductions up to this are sent whole to everybody, who all reduce them.
  std::size_t small_bytes = std::size_t{16} << 10;
  // What is reduced, or passed on, while later pieces are on their way.
  std::size_t block_bytes = std::size_t{512} << 10;
  // What is under way at a time; bounds the memory beside the user's.
  std::size_t window_bytes = std::size_t{64} << 20;
};

}  // namespace gyre

#endif  // GYRE_COLLECTIVES_MESSAGE_MESSAGE_OPTIONS_H_
