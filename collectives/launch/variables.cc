#include "gyre/collectives/launch/variables.h"

#include <charconv>

namespace gyre::internal::inline collectives::launch {

bool Variables::HasAny(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    if (Has(name)) return true;
  }
  return false;
}

StatusOr<int> Variables::Int(const char* name, int low, int high) const {
  const std::string text = Text(name);
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
                       " was expected");
  }
  return value;
}

Status Variables::Require(const char* launcher,
                          std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    if (Has(name)) continue;
    return ConfigError(name,
                       " is not set, but ",
                       Show(names),
                       "; ",
                       launcher,
                       " sets all of them: unset the rest for a world of one");
  }
  return OkStatus();
}

std::string Variables::Show(std::initializer_list<const char*> names) const {
  std::string shown;
  for (const char* name : names) {
    if (!Has(name)) continue;
    shown += Cat(shown.empty() ? "" : ", ", name, "=", Text(name));
  }
  return shown;
}

StatusOr<LaunchEnv> ReadRanks(const Variables& vars, const RankNames& names) {
  GYRE_RETURN_IF_ERROR(vars.Require(names.launcher, {names.rank, names.size}));
  LaunchEnv launch;
  launch.source = names.launcher;
  GYRE_ASSIGN_OR_RETURN(launch.size, vars.Int(names.size, 1, kMaxRanks));
  GYRE_ASSIGN_OR_RETURN(launch.rank, vars.Int(names.rank, 0, kMaxRanks - 1));
  if (vars.Has(names.local_rank)) {
    GYRE_ASSIGN_OR_RETURN(launch.local_rank,
                          vars.Int(names.local_rank, 0, kMaxRanks - 1));
  }
  if (vars.Has(names.local_size)) {
    GYRE_ASSIGN_OR_RETURN(launch.local_size,
                          vars.Int(names.local_size, 1, kMaxRanks));
  }
  GYRE_RETURN_IF_ERROR(CheckRanks(
      launch,
      vars.Show({names.rank, names.size, names.local_rank, names.local_size})));
  return launch;
}

Status CheckRanks(const LaunchEnv& launch, const std::string& shown) {
  const char* wrong = nullptr;
  if (launch.rank >= launch.size) {
    wrong = "the rank must be less than the size: ranks count from 0";
  } else if (launch.local_size > launch.size) {
    wrong = "a host cannot have more ranks than the world";
  } else if (launch.local_size > 0 && launch.local_rank >= launch.local_size) {
    wrong = "the local rank must be less than the local size";
  } else if (launch.local_rank >= launch.size) {
    wrong = "the local rank must be less than the size";
  } else if (launch.local_size == launch.size && launch.local_rank >= 0 &&
             launch.local_rank != launch.rank) {
    wrong = "on a single host, the rank and the local rank are the same";
  }
  if (wrong == nullptr) return OkStatus();
  return ConfigError(shown, " contradict each other: ", wrong);
}

}  // namespace gyre::internal::inline collectives::launch
