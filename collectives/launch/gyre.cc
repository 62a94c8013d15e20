#include "gyre/collectives/control_area.h"
#include "gyre/collectives/launch/launchers.h"

namespace gyre::internal::inline collectives::launch {
namespace {

constexpr char kRank[] = "GYRE_RANK";
constexpr char kSize[] = "GYRE_WORLD_SIZE";
constexpr char kLocalRank[] = "GYRE_LOCAL_RANK";
constexpr char kLocalSize[] = "GYRE_LOCAL_SIZE";
constexpr char kShmFd[] = "GYRE_SHM_FD";
constexpr char kToken[] = "GYRE_RUN_TOKEN";
constexpr char kCoordinator[] = "GYRE_COORDINATOR";
constexpr char kHosted[] = "GYRE_PROCESS_RANKS";

// Several ranks of one process; 1 unless told.
Status ReadHosted(const Variables& vars, LaunchEnv& launch) {
  if (!vars.Has(kHosted)) return OkStatus();
  GYRE_ASSIGN_OR_RETURN(launch.hosted, vars.Int(kHosted, 1, kMaxLocalRanks));
  const bool here = launch.local_size == 0 ||
                    launch.local_rank + launch.hosted <= launch.local_size;
  if (launch.rank + launch.hosted <= launch.size && here) return OkStatus();
  return ConfigError(
      vars.Show({kHosted, kRank, kSize, kLocalRank, kLocalSize}),
      " contradict each other: the process would host ranks that do not exist");
}

}  // namespace

Found FromGyre(const Variables& vars) {
  if (!vars.HasAny({kRank, kShmFd})) return std::optional<LaunchEnv>();
  GYRE_RETURN_IF_ERROR(vars.Require("gyre launch", {kRank, kSize, kToken}));
  if (!vars.HasAny({kShmFd, kCoordinator})) {
    return ConfigError(kShmFd,
                       " is not set, nor is ",
                       kCoordinator,
                       ", but ",
                       vars.Show({kRank, kSize}),
                       "; start the program with gyre launch, or unset all "
                       "GYRE_ variables for a world of one");
  }
  GYRE_ASSIGN_OR_RETURN(
      LaunchEnv launch,
      ReadRanks(vars, {"gyre launch", kRank, kSize, kLocalRank, kLocalSize}));
  GYRE_RETURN_IF_ERROR(ReadHosted(vars, launch));
  if (vars.Has(kShmFd)) {
    GYRE_ASSIGN_OR_RETURN(launch.shm_fd, vars.Int(kShmFd, 3, 1 << 20));
    if (launch.size > kMaxLocalRanks) {
      return ConfigError(vars.Show({kSize, kShmFd}),
                         ": at most ",
                         kMaxLocalRanks,
                         " ranks can share memory");
    }
  }
  return std::optional<LaunchEnv>(std::move(launch));
}

}  // namespace gyre::internal::inline collectives::launch
