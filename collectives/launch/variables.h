// Reading and holding against each other the variables of a launcher.

#ifndef GYRE_COLLECTIVES_LAUNCH_VARIABLES_H_
#define GYRE_COLLECTIVES_LAUNCH_VARIABLES_H_

#include <initializer_list>
#include <string>

#include "gyre/collectives/launch_env.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives::launch {

class Variables {
 public:
  // `env` must outlive this.
  explicit Variables(const EnvReader& env) : env_(env) {}

  bool Has(const char* name) const { return env_(name).has_value(); }
  bool HasAny(std::initializer_list<const char*> names) const;
  // "" when it is not set.
  std::string Text(const char* name) const {
    return env_(name).value_or(std::string());
  }

  // Error: not a number from low to high.
  StatusOr<int> Int(const char* name, int low, int high) const;

  // Error when one of `names` is not set, though the launcher sets them all:
  // names it, and those that are set.
  Status Require(const char* launcher,
                 std::initializer_list<const char*> names) const;

  // "A=1, B=2", of those that are set.
  std::string Show(std::initializer_list<const char*> names) const;

 private:
  const EnvReader& env_;
};

// The names of the variables from which a rank and a size come.
struct RankNames {
  const char* launcher;
  const char* rank;
  const char* size;
  const char* local_rank;  // may be unset in the environment
  const char* local_size;
};

// Rank, size and their local counterparts, each in its range and consistent.
StatusOr<LaunchEnv> ReadRanks(const Variables& vars, const RankNames& names);

// The checks of ReadRanks, for values from elsewhere; `shown` is their text.
Status CheckRanks(const LaunchEnv& launch, const std::string& shown);

}  // namespace gyre::internal::inline collectives::launch

#endif  // GYRE_COLLECTIVES_LAUNCH_VARIABLES_H_
