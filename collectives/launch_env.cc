#include "collectives/launch_env.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "collectives/control_area.h"

namespace gyre {
namespace {

constexpr char kRank[] = "GYRE_RANK";
constexpr char kSize[] = "GYRE_WORLD_SIZE";
constexpr char kShmFd[] = "GYRE_SHM_FD";
constexpr char kToken[] = "GYRE_RUN_TOKEN";
constexpr char kDeadline[] = "GYRE_DEADLINE_S";
constexpr char kAdvice[] =
    "; start the program with gyre launch, or unset all GYRE_ variables for a "
    "world of one";

StatusOr<int> ReadInt(const EnvReader& env,
                      const char* name,
                      int low,
                      int high) {
  const std::string text = env(name).value_or("");
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < low || value > high) {
    return ConfigError(name,
                       "=\"",
                       text,
                       "\": a number from ",
                       low,
                       " to ",
                       high,
                       " was expected",
                       kAdvice);
  }
  return value;
}

}  // namespace

std::optional<std::string> ProcessEnv(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

StatusOr<std::optional<LaunchEnv>> ReadLaunchEnv(const EnvReader& env) {
  const char* present = nullptr;
  const char* missing = nullptr;
  for (const char* name : {kRank, kSize, kShmFd, kToken}) {
    (env(name).has_value() ? present : missing) = name;
  }
  if (present == nullptr) return std::optional<LaunchEnv>();
  if (missing != nullptr) {
    return ConfigError(missing, " is not set, but ", present, " is", kAdvice);
  }
  LaunchEnv launch;
  GYRE_ASSIGN_OR_RETURN(launch.size, ReadInt(env, kSize, 1, kMaxLocalRanks));
  GYRE_ASSIGN_OR_RETURN(launch.rank,
                        ReadInt(env, kRank, 0, kMaxLocalRanks - 1));
  if (launch.rank >= launch.size) {
    return ConfigError(kRank,
                       "=",
                       launch.rank,
                       " does not fit ",
                       kSize,
                       "=",
                       launch.size,
                       ": ranks count from 0",
                       kAdvice);
  }
  GYRE_ASSIGN_OR_RETURN(launch.shm_fd, ReadInt(env, kShmFd, 3, 1 << 20));
  launch.token = *env(kToken);
  return std::optional<LaunchEnv>(std::move(launch));
}

StatusOr<double> ReadDeadline(const EnvReader& env) {
  const auto text = env(kDeadline);
  if (!text.has_value()) return kDefaultDeadlineS;
  char* end = nullptr;
  const double seconds = std::strtod(text->c_str(), &end);
  if (text->empty() || *end != '\0' || !(seconds > 0) || seconds > 1e9) {
    return ConfigError(kDeadline,
                       "=\"",
                       *text,
                       "\": a number of seconds "
                       "above 0 was expected, such as 30");
  }
  return seconds;
}

std::vector<std::pair<std::string, std::string>> LaunchVariables(
    const LaunchEnv& launch) {
  return {{kRank, Cat(launch.rank)},
          {kSize, Cat(launch.size)},
          {kShmFd, Cat(launch.shm_fd)},
          {kToken, launch.token}};
}

}  // namespace gyre
