#include "gyre/collectives/launch/launchers.h"

namespace gyre::internal::inline collectives::launch {
namespace {

// Whether RANK is torchrun's. Alone, it is a word that anybody may use.
bool IsTorchrun(const Variables& vars) {
  if (vars.Has("TORCHELASTIC_RUN_ID")) return true;
  int known = 0;
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR"}) {
    if (vars.Has(name)) ++known;
  }
  return known >= 2;
}

}  // namespace

Found FromTorchrun(const Variables& vars) {
  if (!IsTorchrun(vars)) return std::optional<LaunchEnv>();
  GYRE_RETURN_IF_ERROR(vars.Require(
      "torchrun", {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}));
  GYRE_ASSIGN_OR_RETURN(LaunchEnv launch,
                        ReadRanks(vars,
                                  {"torchrun",
                                   "RANK",
                                   "WORLD_SIZE",
                                   "LOCAL_RANK",
                                   "LOCAL_WORLD_SIZE"}));
  // Kubeflow's PyTorchJob counts nodes by the same names, and starts one
  // process on each. More of them on a node would all claim the node's rank.
  if (!vars.HasAny({"LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK"})) {
    launch.source = "Kubeflow (one rank a node)";
    launch.local_rank = 0;
    launch.local_size = 1;
  }
  if (launch.local_rank > launch.rank) {
    return ConfigError(vars.Show({"RANK", "LOCAL_RANK", "WORLD_SIZE"}),
                       " contradict each other: RANK counts all processes, "
                       "and is never less than LOCAL_RANK. Does it hold the "
                       "number of the node?");
  }
  GYRE_ASSIGN_OR_RETURN(const int port, vars.Int("MASTER_PORT", 1, 65535));
  std::string host = vars.Text("MASTER_ADDR");
  if (host.empty()) return ConfigError("MASTER_ADDR is empty");
  // An IPv6 address has colons of its own.
  if (host.find(':') != std::string::npos && host[0] != '[') {
    host = "[" + host + "]";
  }
  // There, torchrun itself listens at MASTER_PORT.
  const bool taken = vars.Text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  launch.coordinator = Cat(host, ":", taken ? PortOfJob(Cat(port)) : port);
  launch.token = Cat("torchrun-",
                     vars.Text("TORCHELASTIC_RUN_ID"),
                     "-",
                     vars.Text("TORCHELASTIC_RESTART_COUNT"));
  return std::optional<LaunchEnv>(std::move(launch));
}

}  // namespace gyre::internal::inline collectives::launch
