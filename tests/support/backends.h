// The same body on the ranks of any backend.

#ifndef GYRE_TESTS_SUPPORT_BACKENDS_H_
#define GYRE_TESTS_SUPPORT_BACKENDS_H_

#include <functional>
#include <string>

#include "collectives/local/local_world.h"
#include "tests/support/fork_world.h"

namespace gyre {

inline Status RunOn(const std::string& backend,
                    int ranks,
                    const std::function<Status(Communicator&)>& body) {
  if (backend == "local") return LocalWorld(ranks).Run(body);
  return ForkWorld::Run(ranks, body);
}

}  // namespace gyre

#endif  // GYRE_TESTS_SUPPORT_BACKENDS_H_
