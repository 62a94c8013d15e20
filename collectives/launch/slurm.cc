#include <charconv>

#include "gyre/collectives/launch/host_list.h"
#include "gyre/collectives/launch/launchers.h"

namespace gyre::internal::inline collectives::launch {
namespace {

// Numbers from here on are Slurm's own steps: the batch script, the shell of
// salloc. They are not tasks of a parallel program.
constexpr std::uint32_t kFirstSpecialStep = 0xffff'fff0;

// Whether srun started this process. A batch script, and a shell on a node of
// the job, have some of the variables, but not those of a step.
bool IsTaskOfStep(const Variables& vars) {
  if (!vars.Has("SLURM_STEP_ID") || !vars.Has("SLURM_PROCID")) return false;
  const std::string text = vars.Text("SLURM_STEP_ID");
  std::uint32_t step = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, step);
  return error == std::errc() && stop == end && step < kFirstSpecialStep;
}

// The number of tasks on this node.
StatusOr<int> LocalSize(const Variables& vars) {
  constexpr char kCounts[] = "SLURM_STEP_TASKS_PER_NODE";
  if (!vars.Has(kCounts) || !vars.Has("SLURM_NODEID")) return 0;
  const auto counts = ExpandTaskCounts(vars.Text(kCounts));
  if (!counts.ok()) return Annotate(counts.status(), Cat(kCounts, "="));
  GYRE_ASSIGN_OR_RETURN(const int node,
                        vars.Int("SLURM_NODEID", 0, kMaxRanks - 1));
  if (node >= static_cast<int>(counts->size())) {
    return ConfigError(vars.Show({"SLURM_NODEID", kCounts}),
                       " contradict each other: the list has ",
                       counts->size(),
                       " nodes, which count from 0");
  }
  return (*counts)[node];
}

Status FillSlurmMeeting(const Variables& vars, LaunchEnv& launch) {
  constexpr char kNodes[] = "SLURM_STEP_NODELIST";
  const std::string job = vars.Text("SLURM_JOB_ID");
  if (job.empty() || !vars.Has(kNodes)) return OkStatus();
  const auto hosts = ExpandHostList(vars.Text(kNodes));
  if (!hosts.ok()) return Annotate(hosts.status(), Cat(kNodes, "="));
  const bool alone = launch.local_size == launch.size;
  launch.coordinator =
      Cat(alone ? "127.0.0.1" : hosts->front(), ":", PortOfJob(job));
  return OkStatus();
}

}  // namespace

Found FromSlurm(const Variables& vars) {
  if (!IsTaskOfStep(vars)) return std::optional<LaunchEnv>();
  const char* const size = vars.Has("SLURM_STEP_NUM_TASKS")
                               ? "SLURM_STEP_NUM_TASKS"
                               : "SLURM_NTASKS";
  GYRE_ASSIGN_OR_RETURN(
      LaunchEnv launch,
      ReadRanks(vars, {"Slurm", "SLURM_PROCID", size, "SLURM_LOCALID", ""}));
  GYRE_ASSIGN_OR_RETURN(launch.local_size, LocalSize(vars));
  GYRE_RETURN_IF_ERROR(CheckRanks(launch,
                                  vars.Show({"SLURM_PROCID",
                                             size,
                                             "SLURM_LOCALID",
                                             "SLURM_NODEID",
                                             "SLURM_STEP_TASKS_PER_NODE"})));
  GYRE_RETURN_IF_ERROR(FillSlurmMeeting(vars, launch));
  launch.token =
      Cat("job-", vars.Text("SLURM_JOB_ID"), ".", vars.Text("SLURM_STEP_ID"));
  return std::optional<LaunchEnv>(std::move(launch));
}

}  // namespace gyre::internal::inline collectives::launch
