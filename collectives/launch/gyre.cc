#include "collectives/control_area.h"
#include "collectives/launch/launchers.h"

namespace gyre::launch {
namespace {

constexpr char kRank[] = "GYRE_RANK";
constexpr char kSize[] = "GYRE_WORLD_SIZE";
constexpr char kLocalRank[] = "GYRE_LOCAL_RANK";
constexpr char kLocalSize[] = "GYRE_LOCAL_SIZE";
constexpr char kShmFd[] = "GYRE_SHM_FD";
constexpr char kToken[] = "GYRE_RUN_TOKEN";
constexpr char kCoordinator[] = "GYRE_COORDINATOR";

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

}  // namespace gyre::launch
