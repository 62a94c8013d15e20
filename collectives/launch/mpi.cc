// Open MPI, MPICH and its relatives, and PMIx.

#include "gyre/collectives/launch/host_list.h"
#include "gyre/collectives/launch/launchers.h"

namespace gyre::internal::inline collectives::launch {
namespace {

// Open MPI 4: "1531576320.0;tcp://192.168.3.1,10.0.0.1:40931", the job of
// mpirun and where it listens.
struct HnpUri {
  std::string job;
  std::string host;
};

std::optional<HnpUri> ParseHnpUri(const std::string& uri) {
  const std::size_t tcp = uri.find(";tcp://");
  if (tcp == std::string::npos) return std::nullopt;
  const std::string addresses = uri.substr(tcp + 7);
  return HnpUri{uri.substr(0, uri.find_first_of(".;")),
                addresses.substr(0, addresses.find_first_of(",:;"))};
}

// Open MPI 5 and other users of PRRTE: "prterun-node1-12345@1", the host and
// the process of prterun.
std::optional<std::string> HostOfNamespace(const std::string& name) {
  const std::size_t start = name.find('-');
  const std::size_t end = name.rfind('-');
  if (name.rfind("prte", 0) != 0 || start == end) return std::nullopt;
  return name.substr(start + 1, end - start - 1);
}

// The job, as far as its number is the same on all ranks.
std::string JobOf(const Variables& vars) {
  if (const auto uri = ParseHnpUri(vars.Text("OMPI_MCA_orte_hnp_uri"))) {
    return uri->job;
  }
  for (const char* name : {"PMIX_NAMESPACE", "SLURM_JOB_ID"}) {
    if (vars.Has(name)) return vars.Text(name);
  }
  return "";
}

// Rank 0 lies on the first host of the job, which is mpirun's own unless a
// batch system says otherwise.
std::string FirstHost(const Variables& vars, const LaunchEnv& launch) {
  if (launch.local_size == launch.size) return "127.0.0.1";
  if (vars.Has("SLURM_JOB_NODELIST")) {
    const auto hosts = ExpandHostList(vars.Text("SLURM_JOB_NODELIST"));
    if (hosts.ok()) return hosts->front();
  }
  if (const auto uri = ParseHnpUri(vars.Text("OMPI_MCA_orte_hnp_uri"))) {
    return uri->host;
  }
  return HostOfNamespace(vars.Text("PMIX_NAMESPACE")).value_or("");
}

// Where the launcher gives no meeting place.
void FillMpiMeeting(const Variables& vars, LaunchEnv& launch) {
  const std::string job = JobOf(vars);
  if (job.empty()) return;
  // As a text: the numbers of Open MPI are multiples of 65536.
  launch.token = Cat("job-", job);
  const std::string host = FirstHost(vars, launch);
  if (host.empty()) return;
  launch.coordinator = Cat(host, ":", PortOfJob(launch.token));
}

}  // namespace

Found FromOpenMpi(const Variables& vars) {
  constexpr char kRank[] = "OMPI_COMM_WORLD_RANK";
  constexpr char kSize[] = "OMPI_COMM_WORLD_SIZE";
  if (!vars.HasAny({kRank, kSize})) return std::optional<LaunchEnv>();
  GYRE_ASSIGN_OR_RETURN(LaunchEnv launch,
                        ReadRanks(vars,
                                  {"Open MPI",
                                   kRank,
                                   kSize,
                                   "OMPI_COMM_WORLD_LOCAL_RANK",
                                   "OMPI_COMM_WORLD_LOCAL_SIZE"}));
  // A world that one rank has spawned out of another keeps both counts, but a
  // difference here is a mixture of two environments.
  if (vars.Has("PMIX_RANK") && vars.Text("PMIX_RANK") != vars.Text(kRank)) {
    return ConfigError(vars.Show({kRank, "PMIX_RANK"}),
                       " contradict each other: they are the same rank under "
                       "mpirun");
  }
  FillMpiMeeting(vars, launch);
  return std::optional<LaunchEnv>(std::move(launch));
}

Found FromMpich(const Variables& vars) {
  if (!vars.HasAny({"PMI_RANK", "PMI_SIZE"})) return std::optional<LaunchEnv>();
  // srun --mpi=pmi2 sets both; Slurm's own variables say more.
  if (vars.Has("SLURM_STEP_ID") &&
      vars.Text("PMI_RANK") == vars.Text("SLURM_PROCID") &&
      vars.Text("PMI_SIZE") == vars.Text("SLURM_STEP_NUM_TASKS")) {
    return std::optional<LaunchEnv>();
  }
  GYRE_ASSIGN_OR_RETURN(LaunchEnv launch,
                        ReadRanks(vars,
                                  {"MPICH",
                                   "PMI_RANK",
                                   "PMI_SIZE",
                                   "MPI_LOCALRANKID",
                                   "MPI_LOCALNRANKS"}));
  FillMpiMeeting(vars, launch);
  return std::optional<LaunchEnv>(std::move(launch));
}

Found FromPmix(const Variables& vars) {
  if (!vars.Has("PMIX_RANK")) return std::optional<LaunchEnv>();
  if (!vars.Has("GYRE_WORLD_SIZE")) {
    return ConfigError(vars.Show({"PMIX_RANK", "PMIX_NAMESPACE"}),
                       ", but nothing tells the number of ranks: set "
                       "GYRE_WORLD_SIZE, or unset PMIX_RANK for a world of "
                       "one");
  }
  GYRE_ASSIGN_OR_RETURN(LaunchEnv launch,
                        ReadRanks(vars,
                                  {"PMIx",
                                   "PMIX_RANK",
                                   "GYRE_WORLD_SIZE",
                                   "PMIX_LOCAL_RANK",
                                   "PMIX_LOCAL_SIZE"}));
  FillMpiMeeting(vars, launch);
  return std::optional<LaunchEnv>(std::move(launch));
}

}  // namespace gyre::internal::inline collectives::launch
