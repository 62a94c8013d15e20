// The command that starts one host's part of a launch.

#ifndef GYRE_APPS_GYRE_LAUNCH_HOSTS_HOST_COMMAND_H_
#define GYRE_APPS_GYRE_LAUNCH_HOSTS_HOST_COMMAND_H_

#include <vector>

#include "apps/gyre/launch/hosts/host_file.h"
#include "apps/gyre/launch/hosts/part.h"
#include "apps/gyre/launch/rank_process.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

// `options.rsh`, the host's name, and this program with --part: it reads the
// part from its standard input, and then signals to pass on, one a line.
// Errors: no such --rsh program, a part that is too long for a pipe.
StatusOr<RankCommand> CommandForHost(const LaunchOptions& options,
                                     int index,
                                     const HostShare& share,
                                     const Meeting& meeting,
                                     const std::string& certificates);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_HOSTS_HOST_COMMAND_H_
