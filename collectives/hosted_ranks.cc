#include "gyre/collectives/hosted_ranks.h"

#include <errno.h>
#include <fcntl.h>

#include <cstring>

#include "gyre/collectives/host_limits.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/collectives/membership.h"
#include "gyre/collectives/network_options.h"
#include "gyre/collectives/shared_communicator.h"
#include "gyre/collectives/shm/shm_space.h"

namespace gyre::internal::inline collectives {

StatusOr<std::unique_ptr<HostedRanks>> HostedRanks::Find(
    const WorldOptions& options) {
  GYRE_ASSIGN_OR_RETURN(const double deadline_s, DeadlineOf(options));
  GYRE_ASSIGN_OR_RETURN(const std::optional<LaunchEnv> launch,
                        ReadLaunchEnv(options.env));
  std::unique_ptr<HostedRanks> ranks(
      new HostedRanks(options, launch.value_or(LaunchEnv()), deadline_s));
  if (ranks->count() == 1) return ranks;
  GYRE_ASSIGN_OR_RETURN(const NetworkOptions network,
                        ReadNetworkOptions(options.env));
  const std::string& way = network.collectives;
  if (way == "mpi") {
    return ConfigError("--collectives mpi: a rank of MPI is a process, and ",
                       ranks->count(),
                       " ranks would be in this one; leave out --processes");
  }
  if (ranks->launch_.shm_fd >= 0) {
    // Programs that a rank starts are no ranks.
    ranks->shm_ = FileHandle(ranks->launch_.shm_fd);
    ::fcntl(ranks->shm_.get(), F_SETFD, FD_CLOEXEC);
  }
  if (ranks->count() == ranks->size() && (way == "auto" || way == "local")) {
    GYRE_RETURN_IF_ERROR(ranks->UseOwnMemory());
  }
  return ranks;
}

Status HostedRanks::UseOwnMemory() {
  GYRE_RETURN_IF_ERROR(CheckMemory(WorldAreaBytes(size())));
  local_ = std::make_shared<LocalMemory>(size());
  if (shm_.get() < 0) return OkStatus();
  GYRE_ASSIGN_OR_RETURN(Mapping header,
                        MapShmHeader(shm_.get(), size(), launch_.token));
  launchers_.emplace(std::move(header));
  return OkStatus();
}

StatusOr<std::unique_ptr<World>> HostedRanks::Join(int index) {
  if (launch_.source.empty()) {
    GYRE_ASSIGN_OR_RETURN(std::unique_ptr<Communicator> one, MakeSingleRank());
    return std::make_unique<World>(std::move(one), "");
  }
  if (local_ != nullptr) return JoinLocal(index);
  LaunchEnv launch = launch_;
  launch.rank += index;
  launch.hosted = 1;
  if (launch.local_size > 0) launch.local_rank += index;
  // Every rank of several closes its own.
  if (shm_.get() >= 0) {
    launch.shm_fd = ::fcntl(shm_.get(), F_DUPFD_CLOEXEC, 3);
    if (launch.shm_fd < 0) {
      return InternalError("rank ",
                           launch.rank,
                           " gets no file for the shared memory: ",
                           std::strerror(errno));
    }
  }
  return JoinAs(options_, launch);
}

StatusOr<std::unique_ptr<World>> HostedRanks::JoinLocal(int index) {
  GYRE_ASSIGN_OR_RETURN(std::unique_ptr<Communicator> comm,
                        SharedCommunicator::Join(
                            std::make_shared<LocalSpace>(local_, rank(index)),
                            PolicyFor(size(), deadline_s_)));
  return std::make_unique<World>(
      std::move(comm), launch_.source, [this](const Status&) { Notify(); });
}

void HostedRanks::Notify() {
  const auto notice = ReadAbort(local_->header());
  if (!launchers_.has_value() || !notice.has_value()) return;
  PostAbort(*reinterpret_cast<WorldHeader*>(launchers_->data()),
            notice->rank,
            MakeError(notice->kind, absl::StatusCode::kAborted, notice->text));
}

}  // namespace gyre::internal::inline collectives
