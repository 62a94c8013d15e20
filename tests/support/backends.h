// The same body on the ranks of any backend.

#ifndef GYRE_TESTS_SUPPORT_BACKENDS_H_
#define GYRE_TESTS_SUPPORT_BACKENDS_H_

#include <functional>
#include <string>

#include "gyre/collectives/local/local_world.h"
#include "tests/support/fork_world.h"
#include "tests/support/grpc_world.h"

namespace gyre::internal::inline tests {

// "local", "shm", "grpc", and by messages between threads: "direct", "ring",
// and "pieces" and "ringlets", which are these two in tiny windows and blocks;
// two levels with made-up hosts: "hosts", two with half of the ranks each, and
// "scattered", three in disorder, in tiny windows.
inline const std::string kAllBackends[] = {"local",
                                           "shm",
                                           "grpc",
                                           "direct",
                                           "pieces",
                                           "ring",
                                           "ringlets",
                                           "hosts",
                                           "scattered"};

inline LocalOptions MessageWorld(const std::string& backend, int ranks) {
  LocalOptions world = {.messages = MessageOptions{}};
  MessageOptions& options = *world.messages;
  const bool ring = backend == "ring" || backend == "ringlets";
  options.algorithm =
      ring ? MessageAlgorithm::kRing : MessageAlgorithm::kDirect;
  options.host_stage_bytes = std::size_t{1} << 20;
  if (backend == "pieces" || backend == "ringlets" || backend == "scattered") {
    options.small_bytes = 64;
    options.block_bytes = 256;
    options.window_bytes = 4096;
    options.host_stage_bytes = 4096;
  }
  for (int r = 0; r < ranks; ++r) {
    if (backend == "hosts") world.hosts.push_back(r * 2 / ranks);
    if (backend == "scattered") world.hosts.push_back(10 + r * 7 / 3 % 3);
  }
  return world;
}

inline Status RunOn(const std::string& backend,
                    int ranks,
                    const std::function<Status(Communicator&)>& body,
                    double deadline_s = 20) {
  if (backend == "shm") return ForkWorld::Run(ranks, body, deadline_s);
  if (backend == "grpc") return RunGrpc(ranks, body, deadline_s);
  LocalOptions options;
  if (backend != "local") options = MessageWorld(backend, ranks);
  options.deadline_s = deadline_s;
  return LocalWorld(ranks, options).Run(body);
}

// What the communicator of that backend calls itself.
inline std::string NameOf(const std::string& backend) {
  if (backend == "hosts" || backend == "scattered") return "two-level";
  return backend == "shm" || backend == "grpc" ? backend : "local";
}

inline std::string_view OrderOf(const std::string& backend) {
  return backend.substr(0, 4) == "ring" ? "ring" : "tree";
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_BACKENDS_H_
