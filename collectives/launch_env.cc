#include "gyre/collectives/launch_env.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "gyre/collectives/launch/launchers.h"
#include "gyre/core/hash.h"

namespace gyre::internal::inline collectives {
namespace {

constexpr char kDeadline[] = "GYRE_DEADLINE_S";
constexpr char kToken[] = "GYRE_RUN_TOKEN";
constexpr char kCoordinator[] = "GYRE_COORDINATOR";

// "host:port", "[::1]:port".
Status CheckCoordinator(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string host = text.substr(0, colon);
  int port = 0;
  const bool bare_ipv6 =
      host.find(':') != std::string::npos && host.front() != '[';
  if (colon != std::string::npos && !host.empty() && !bare_ipv6) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] =
        std::from_chars(text.data() + colon + 1, end, port);
    if (error == std::errc() && stop == end && port > 0 && port < 65536) {
      return OkStatus();
    }
  }
  return ConfigError(kCoordinator,
                     "=\"",
                     text,
                     "\": host:port was expected, such as node1:29400 or "
                     "[fd00::1]:29400");
}

// What holds for every launcher.
Status ApplyOverrides(const EnvReader& env, LaunchEnv& launch) {
  if (const auto token = env(kToken)) launch.token = *token;
  if (const auto coordinator = env(kCoordinator)) {
    GYRE_RETURN_IF_ERROR(CheckCoordinator(*coordinator));
    launch.coordinator = *coordinator;
  }
  return OkStatus();
}

// Our own variables, and nobody who would give the rank.
Status NothingButOurs(const launch::Variables& vars) {
  if (!vars.HasAny({"GYRE_WORLD_SIZE", kToken, kCoordinator})) {
    return OkStatus();
  }
  return ConfigError(
      "GYRE_RANK is not set, but ",
      vars.Show({"GYRE_WORLD_SIZE", kToken, kCoordinator}),
      "; start the program with gyre launch, or unset all GYRE_ variables for "
      "a world of one");
}

}  // namespace

std::optional<std::string> ProcessEnv(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

StatusOr<std::optional<LaunchEnv>> ReadLaunchEnv(const EnvReader& env) {
  const launch::Variables vars(env);
  for (const auto from : {launch::FromGyre,
                          launch::FromTorchrun,
                          launch::FromOpenMpi,
                          launch::FromMpich,
                          launch::FromSlurm,
                          launch::FromPmix,
                          launch::FromKubernetes}) {
    GYRE_ASSIGN_OR_RETURN(std::optional<LaunchEnv> found, from(vars));
    if (!found.has_value()) continue;
    GYRE_RETURN_IF_ERROR(ApplyOverrides(env, *found));
    return found;
  }
  GYRE_RETURN_IF_ERROR(NothingButOurs(vars));
  return std::optional<LaunchEnv>();
}

int PortOfJob(std::string_view job) {
  constexpr int kFirst = 61440;
  constexpr std::uint64_t kPorts = 4096;
  std::uint64_t number = 0;
  const char* const end = job.data() + job.size();
  const auto [stop, error] = std::from_chars(job.data(), end, number);
  if (error != std::errc() || stop != end) {
    number = Hash64(job.data(), job.size());
  }
  return kFirst + static_cast<int>(number % kPorts);
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
  std::vector<std::pair<std::string, std::string>> variables = {
      {"GYRE_RANK", Cat(launch.rank)},
      {"GYRE_WORLD_SIZE", Cat(launch.size)},
      {kToken, launch.token}};
  if (launch.local_size > 0) {
    variables.emplace_back("GYRE_LOCAL_RANK", Cat(launch.local_rank));
    variables.emplace_back("GYRE_LOCAL_SIZE", Cat(launch.local_size));
  }
  if (launch.hosted > 1) {
    variables.emplace_back("GYRE_PROCESS_RANKS", Cat(launch.hosted));
  }
  if (launch.shm_fd >= 0) {
    variables.emplace_back("GYRE_SHM_FD", Cat(launch.shm_fd));
  }
  if (!launch.coordinator.empty()) {
    variables.emplace_back(kCoordinator, launch.coordinator);
  }
  return variables;
}

}  // namespace gyre::internal::inline collectives
