#include "apps/runtime/run_main.h"

#include <cstdio>

#ifdef GYRE_HAVE_MPI
#include "collectives/mpi/mpi_transport.h"
#endif
#include "core/exit_code.h"
#include "core/log.h"
#include "core/stop_signals.h"

namespace gyre {

int ReportError(const Status& status, int rank, int world_size) {
  if (world_size > 1) {
    LogError("rank ", rank, ": ", Message(status));
  } else {
    LogError(Message(status));
  }
  return ExitCodeOf(status);
}

int RunMain(const std::function<Status(World&)>& body,
            const WorldOptions& given) {
  WorldOptions options = given;
#ifdef GYRE_HAVE_MPI
  if (options.mpi == nullptr) options.mpi = MakeMpiTransport;
#endif
  const auto world = JoinWorld(options);
  if (!world.ok()) {
    // The rank is known only to a launched program whose environment is
    // sound; it is named by the launcher otherwise.
    const auto launch = ReadLaunchEnv(options.env);
    const bool known = launch.ok() && launch->has_value();
    return ReportError(world.status(),
                       known ? (*launch)->rank : 0,
                       known ? (*launch)->size : 1);
  }
  const Status status = body(**world);
  std::fflush(stdout);
  if (status.ok() || IsEarlyEnd(status)) return kExitDone;
  if (StopSignalOf(status).has_value()) {
    // All ranks stop together, and none of them has failed.
    if ((*world)->rank() == 0) LogLine(Message(status));
    return ExitCodeOf(status);
  }
  const int code = ReportError(status, (*world)->rank(), (*world)->size());
  (*world)->Abort(status);
  return code;
}

}  // namespace gyre
