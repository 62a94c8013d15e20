#include "gyre/collectives/world.h"

#include "gyre/collectives/host_limits.h"
#include "gyre/collectives/hosted_ranks.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/collectives/message/message_communicator.h"
#include "gyre/collectives/message/transport_registry.h"
#include "gyre/collectives/network_options.h"
#include "gyre/collectives/network_world.h"
#include "gyre/collectives/shared_communicator.h"
#include "gyre/collectives/shm/shm_space.h"

namespace gyre {

using namespace internal;

namespace {

StatusOr<std::unique_ptr<Communicator>> JoinInheritedShm(
    const LaunchEnv& launch, double deadline_s) {
  GYRE_ASSIGN_OR_RETURN(
      std::shared_ptr<ShmSpace> space,
      ShmSpace::Open(launch.shm_fd, launch.rank, launch.size, launch.token));
  return SharedCommunicator::Join(std::move(space),
                                  PolicyFor(launch.size, deadline_s));
}

StatusOr<std::unique_ptr<Communicator>> JoinMpi(const LaunchEnv& launch,
                                                double deadline_s) {
  const TransportMaker make = FindTransport(kMpiTransport);
  if (make == nullptr) {
    return ConfigError(
        "--collectives mpi: this program was linked without MPI: link "
        "gyre::mpi beside gyre::gyre (a Gyre that was built with GYRE_MPI=ON "
        "and libopenmpi-dev has it)");
  }
  GYRE_ASSIGN_OR_RETURN(std::shared_ptr<Transport> transport,
                        make(PolicyFor(launch.size, deadline_s)));
  if (transport->rank() != launch.rank || transport->size() != launch.size) {
    return ConfigError(launch.source,
                       " says rank ",
                       launch.rank,
                       " of ",
                       launch.size,
                       ", MPI says rank ",
                       transport->rank(),
                       " of ",
                       transport->size(),
                       ": start the program with the mpirun of its own MPI");
  }
  return MessageCommunicator::Join(std::move(transport), {});
}

StatusOr<std::unique_ptr<Communicator>> Join(const WorldOptions& options,
                                             const LaunchEnv& launch,
                                             double deadline_s) {
  GYRE_ASSIGN_OR_RETURN(const NetworkOptions network,
                        ReadNetworkOptions(options.env));
  const std::string& way = network.collectives;
  if (way == "mpi") return JoinMpi(launch, deadline_s);
  if (launch.shm_fd >= 0 && (way == "auto" || way == "shm")) {
    return JoinInheritedShm(launch, deadline_s);
  }
  if (launch.size == 1) return MakeSingleRank();
  if (way == "local") {
    return ConfigError("--collectives local: the ",
                       launch.size,
                       " ranks are processes; give auto, shm or grpc");
  }
  return JoinNetworkWorld(launch, network, deadline_s, options.config);
}

}  // namespace

StatusOr<double> DeadlineOf(const WorldOptions& options) {
  if (!options.deadline_s.has_value()) return ReadDeadline(options.env);
  if (!(*options.deadline_s > 0)) {
    return ConfigError("a deadline of ",
                       *options.deadline_s,
                       " s: a number "
                       "of seconds above 0 was expected");
  }
  return *options.deadline_s;
}

StatusOr<std::unique_ptr<World>> JoinAs(const WorldOptions& options,
                                        const LaunchEnv& launch) {
  GYRE_ASSIGN_OR_RETURN(const double deadline_s, DeadlineOf(options));
  GYRE_ASSIGN_OR_RETURN(std::unique_ptr<Communicator> comm,
                        Join(options, launch, deadline_s));
  return std::make_unique<World>(std::move(comm), launch.source);
}

StatusOr<std::unique_ptr<World>> JoinWorld(const WorldOptions& options) {
  GYRE_ASSIGN_OR_RETURN(const std::unique_ptr<HostedRanks> ranks,
                        HostedRanks::Find(options));
  if (ranks->count() != 1) {
    return ConfigError("this process is to host ",
                       ranks->count(),
                       " ranks (GYRE_PROCESS_RANKS), and the program joins as "
                       "one: use RunMain (runtime), or leave out "
                       "--processes");
  }
  return ranks->Join(0);
}

}  // namespace gyre
