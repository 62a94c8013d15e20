// One function for each launcher: nothing when it did not start this process.

#ifndef GYRE_COLLECTIVES_LAUNCH_LAUNCHERS_H_
#define GYRE_COLLECTIVES_LAUNCH_LAUNCHERS_H_

#include <optional>

#include "gyre/collectives/launch/variables.h"
#include "gyre/collectives/launch_env.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives::launch {

using Found = StatusOr<std::optional<LaunchEnv>>;

Found FromGyre(const Variables& vars);
Found FromTorchrun(const Variables& vars);
Found FromOpenMpi(const Variables& vars);
Found FromMpich(const Variables& vars);
Found FromSlurm(const Variables& vars);
Found FromPmix(const Variables& vars);
Found FromKubernetes(const Variables& vars);

}  // namespace gyre::internal::inline collectives::launch

#endif  // GYRE_COLLECTIVES_LAUNCH_LAUNCHERS_H_
