#include "gyre/collectives/launch/launchers.h"

namespace gyre::internal::inline collectives::launch {

// Each pod of an indexed job runs one rank.
Found FromKubernetes(const Variables& vars) {
  constexpr char kIndex[] = "JOB_COMPLETION_INDEX";
  constexpr char kSize[] = "GYRE_WORLD_SIZE";
  if (!vars.Has(kIndex)) return std::optional<LaunchEnv>();
  if (!vars.Has(kSize)) {
    return ConfigError(vars.Show({kIndex}),
                       ", but ",
                       kSize,
                       " is not set: set it to the job's completions, or to 1 "
                       "if every pod is a run of its own");
  }
  GYRE_ASSIGN_OR_RETURN(const int size, vars.Int(kSize, 1, kMaxRanks));
  if (size == 1) {
    LaunchEnv alone;
    alone.source = "Kubernetes";
    return std::optional<LaunchEnv>(std::move(alone));
  }
  GYRE_ASSIGN_OR_RETURN(LaunchEnv launch,
                        ReadRanks(vars, {"Kubernetes", kIndex, kSize, "", ""}));
  launch.local_rank = 0;
  launch.local_size = 1;
  if (!vars.Has("GYRE_COORDINATOR")) {
    return ConfigError(vars.Show({kIndex, kSize}),
                       ", but GYRE_COORDINATOR is not set: give the name of "
                       "the first pod and a port, such as "
                       "train-0.train:29400");
  }
  return std::optional<LaunchEnv>(std::move(launch));
}

}  // namespace gyre::internal::inline collectives::launch
