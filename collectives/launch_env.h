// What a launcher tells a rank, in the environment.
//
//   GYRE_RANK         0 .. GYRE_WORLD_SIZE - 1
//   GYRE_WORLD_SIZE   how many ranks there are
//   GYRE_SHM_FD       the inherited file descriptor of the shared memory
//   GYRE_RUN_TOKEN    the same text for all ranks of a run
//   GYRE_DEADLINE_S   how long a rank waits for the others, in seconds
//
// None of the first four: the program was started by hand and is a world of
// one. Some of them but not all: an error that names the missing one.

#ifndef GYRE_COLLECTIVES_LAUNCH_ENV_H_
#define GYRE_COLLECTIVES_LAUNCH_ENV_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/status.h"

namespace gyre {

inline constexpr double kDefaultDeadlineS = 30;

// The value of an environment variable, or nothing.
using EnvReader =
    std::function<std::optional<std::string>(const std::string& name)>;

std::optional<std::string> ProcessEnv(const std::string& name);

struct LaunchEnv {
  int rank = 0;
  int size = 1;
  int shm_fd = -1;
  std::string token;
};

// Nothing for a program that was not launched.
StatusOr<std::optional<LaunchEnv>> ReadLaunchEnv(const EnvReader& env);

// GYRE_DEADLINE_S, or the default.
StatusOr<double> ReadDeadline(const EnvReader& env);

// The variables for one rank, as a launcher sets them.
std::vector<std::pair<std::string, std::string>> LaunchVariables(
    const LaunchEnv& launch);

}  // namespace gyre

#endif  // GYRE_COLLECTIVES_LAUNCH_ENV_H_
