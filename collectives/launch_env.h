// How this process was started: its rank, the number of ranks, and where they
// meet. Read from the environment, where every launcher leaves it.
//
//   GYRE_ASSIGN_OR_RETURN(const auto launch, ReadLaunchEnv(ProcessEnv));
//   if (!launch.has_value()) { ... a world of one ... }
//
// The first of these that is there counts, so that the innermost launcher of
// several (mpirun in a Slurm script) wins:
//
//   gyre launch   GYRE_RANK GYRE_WORLD_SIZE GYRE_RUN_TOKEN, and GYRE_SHM_FD
//                 (the inherited file of the shared memory) or
//                 GYRE_COORDINATOR ("host:port" of rank 0);
//                 GYRE_PROCESS_RANKS: how many ranks the process hosts, from
//                 GYRE_RANK on (1 when it is not set)
//   torchrun      RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE MASTER_ADDR
//                 MASTER_PORT (which torchrun itself uses: ours is PortOfJob
//                 of it); without the LOCAL_ ones (Kubeflow), a rank is a node
//   Open MPI      OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE
//   MPICH         PMI_RANK PMI_SIZE MPI_LOCALRANKID MPI_LOCALNRANKS (Hydra,
//                 Intel MPI)
//   Slurm         SLURM_PROCID SLURM_STEP_NUM_TASKS SLURM_LOCALID ... of a
//                 step (srun); a batch script or a login shell is none
//   PMIx          PMIX_RANK, with GYRE_WORLD_SIZE
//   Kubernetes    JOB_COMPLETION_INDEX of an indexed job, with GYRE_WORLD_SIZE
//
// Besides, for all of them: GYRE_COORDINATOR and GYRE_RUN_TOKEN replace what
// the launcher gives, and
//
//   GYRE_DEADLINE_S   how long a rank waits for the others, in seconds
//
// WARNING 1: a token made from a job's number keeps runs apart; it is no
// secret. Set GYRE_RUN_TOKEN to one where strangers can connect.

#ifndef GYRE_COLLECTIVES_LAUNCH_ENV_H_
#define GYRE_COLLECTIVES_LAUNCH_ENV_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

inline constexpr double kDefaultDeadlineS = 30;
inline constexpr int kMaxRanks = 1 << 16;

// The value of an environment variable, or nothing.
using EnvReader =
    std::function<std::optional<std::string>(const std::string& name)>;

std::optional<std::string> ProcessEnv(const std::string& name);

struct LaunchEnv {
  int rank = 0;
  int size = 1;
  int shm_fd = -1;         // -1: no shared memory was made for the ranks
  std::string token = {};  // the same for all ranks of a run
  // Among the ranks of this host; -1 and 0 when the launcher does not tell.
  int local_rank = -1;
  int local_size = 0;
  // This process is ranks rank .. rank + hosted - 1, each on a thread of its
  // own (hosted_ranks.h); the local ones count on alike.
  int hosted = 1;
  // "host:port" where rank 0 is to be found; empty when nothing tells.
  std::string coordinator = {};
  std::string source = {};  // "gyre launch", "torchrun", "Slurm", ...
};

// Nothing for a program that was not launched. Errors (config): variables
// that contradict each other, or of which one is missing, with their values.
StatusOr<std::optional<LaunchEnv>> ReadLaunchEnv(const EnvReader& env);

// The port of the coordinator where a launcher has a job number, but no port:
// 61440 + job % 4096, above the ports that systems hand out by themselves.
// A text that is no number counts by its hash.
int PortOfJob(std::string_view job);

// GYRE_DEADLINE_S, or the default.
StatusOr<double> ReadDeadline(const EnvReader& env);

// The variables for one rank, as `gyre launch` sets them.
std::vector<std::pair<std::string, std::string>> LaunchVariables(
    const LaunchEnv& launch);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_LAUNCH_ENV_H_
