// Ranks as threads of one process: for tests, and for a world of one.
//
//   LocalWorld world(4);
//   const Status status = world.Run([&](Communicator& comm) -> Status {
//     float x = comm.rank();
//     return comm.AllReduce(&x, &x, 1, DType::kF32, ReduceOp::kSum, {});
//   });
//
// WARNING 1: a rank that neither returns nor calls a collective makes Run
// wait for it, as a thread cannot be killed.

#ifndef GYRE_COLLECTIVES_LOCAL_LOCAL_WORLD_H_
#define GYRE_COLLECTIVES_LOCAL_LOCAL_WORLD_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gyre/collectives/message/message_options.h"
#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline collectives {

struct LocalOptions {
  double deadline_s = 30;
  // Set: the ranks send each other messages, as those of other backends do.
  // With kRing this gives the bits of the ring's order.
  std::optional<MessageOptions> messages = {};
  // With `messages`: a made-up host for each rank, for tests of two levels.
  std::vector<int> hosts = {};
};

class LocalWorld {
 public:
  explicit LocalWorld(int ranks, LocalOptions options = {});

  // Runs `body` on every rank, each in a thread of its own and in a fresh
  // world. The error of the rank that failed first, if any: the others are
  // told, and end with an error as well.
  Status Run(const std::function<Status(Communicator&)>& body);

 private:
  int ranks_;
  LocalOptions options_;
};

// A world of one rank, on the calling thread.
StatusOr<std::unique_ptr<Communicator>> MakeSingleRank();

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_LOCAL_LOCAL_WORLD_H_
