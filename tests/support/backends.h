// The same body on the ranks of any backend.

#ifndef GYRE_TESTS_SUPPORT_BACKENDS_H_
#define GYRE_TESTS_SUPPORT_BACKENDS_H_

#include <functional>
#include <string>

#include "collectives/local/local_world.h"
#include "tests/support/fork_world.h"
#include "tests/support/grpc_world.h"

namespace gyre {

// "local", "shm", "grpc", and by messages between threads: "direct", "ring",
// and "pieces", which is "direct" in windows and blocks as small as can be.
inline LocalOptions MessageWorld(const std::string& backend) {
  MessageOptions options;
  options.algorithm =
      backend == "ring" ? MessageAlgorithm::kRing : MessageAlgorithm::kDirect;
  if (backend == "pieces") {
    options.small_bytes = 64;
    options.block_bytes = 256;
    options.window_bytes = 4096;
  }
  return {.deadline_s = 20, .messages = options};
}

inline Status RunOn(const std::string& backend,
                    int ranks,
                    const std::function<Status(Communicator&)>& body) {
  if (backend == "local") return LocalWorld(ranks).Run(body);
  if (backend == "shm") return ForkWorld::Run(ranks, body);
  if (backend == "grpc") return RunGrpc(ranks, body);
  return LocalWorld(ranks, MessageWorld(backend)).Run(body);
}

// What the communicator of that backend calls itself.
inline std::string NameOf(const std::string& backend) {
  return backend == "shm" || backend == "grpc" ? backend : "local";
}

}  // namespace gyre

#endif  // GYRE_TESTS_SUPPORT_BACKENDS_H_
