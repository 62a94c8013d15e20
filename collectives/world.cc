#include "collectives/world.h"

#include "collectives/host_limits.h"
#include "collectives/local/local_world.h"
#include "collectives/shared_communicator.h"
#include "collectives/shm/shm_space.h"

namespace gyre {
namespace {

StatusOr<double> Deadline(const WorldOptions& options) {
  if (!options.deadline_s.has_value()) return ReadDeadline(options.env);
  if (!(*options.deadline_s > 0)) {
    return ConfigError("a deadline of ",
                       *options.deadline_s,
                       " s: a number "
                       "of seconds above 0 was expected");
  }
  return *options.deadline_s;
}

}  // namespace

StatusOr<std::unique_ptr<World>> JoinWorld(const WorldOptions& options) {
  GYRE_ASSIGN_OR_RETURN(const double deadline_s, Deadline(options));
  GYRE_ASSIGN_OR_RETURN(const std::optional<LaunchEnv> launch,
                        ReadLaunchEnv(options.env));
  if (!launch.has_value() || (launch->size == 1 && launch->shm_fd < 0)) {
    GYRE_ASSIGN_OR_RETURN(std::unique_ptr<Communicator> one, MakeSingleRank());
    return std::make_unique<World>(
        std::move(one), launch.has_value() ? launch->source : std::string());
  }
  if (launch->shm_fd < 0) {
    return ConfigError("rank ",
                       launch->rank,
                       " of ",
                       launch->size,
                       " was started by ",
                       launch->source,
                       ": only gyre launch gives the memory that the ranks "
                       "share");
  }
  GYRE_ASSIGN_OR_RETURN(
      std::shared_ptr<ShmSpace> space,
      ShmSpace::Open(
          launch->shm_fd, launch->rank, launch->size, launch->token));
  GYRE_ASSIGN_OR_RETURN(
      std::unique_ptr<Communicator> comm,
      SharedCommunicator::Join(std::move(space),
                               PolicyFor(launch->size, deadline_s)));
  return std::make_unique<World>(std::move(comm), launch->source);
}

}  // namespace gyre
