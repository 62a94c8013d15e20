// Reads mesh/run_context.h from the environment.
//
//   GYRE_REPLAY, GYRE_REPLAY_OUT, GYRE_REPLAY_WITH   set by gyre replay
//   GYRE_REWIND                                      set by gyre rewind
//   GYRE_INJECT                                      faults on purpose
//   GYRE_RESTART, TORCHELASTIC_RESTART_COUNT, SLURM_RESTART_COUNT
//       how often gyre launch, torchrun and Slurm have started the program
//       again; the first that is above 0 counts

#ifndef GYRE_RUNTIME_RUN_ENVIRONMENT_H_
#define GYRE_RUNTIME_RUN_ENVIRONMENT_H_

#include "gyre/collectives/launch_env.h"
#include "gyre/core/status.h"
#include "gyre/mesh/run_context.h"

namespace gyre::internal::inline runtime {

// Error: a number of restarts that is none.
StatusOr<RunContext> ReadRunContext(const EnvReader& env);

}  // namespace gyre::internal::inline runtime

#endif  // GYRE_RUNTIME_RUN_ENVIRONMENT_H_
