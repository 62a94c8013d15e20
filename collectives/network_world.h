// A world whose ranks first have to find each other: started by somebody
// else's launcher, on several hosts, or with gRPC asked for. They meet at
// rank 0 (roster/), which decides how they talk.

#ifndef GYRE_COLLECTIVES_NETWORK_WORLD_H_
#define GYRE_COLLECTIVES_NETWORK_WORLD_H_

#include <memory>
#include <string>

#include "gyre/collectives/launch_env.h"
#include "gyre/collectives/network_options.h"
#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline collectives {

// `config`: a hash of what must be the same on all ranks, or "".
StatusOr<std::unique_ptr<Communicator>> JoinNetworkWorld(
    const LaunchEnv& launch,
    const NetworkOptions& options,
    double deadline_s,
    const std::string& config);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_NETWORK_WORLD_H_
