// The launcher on one of several hosts: `gyre launch --part`, started by the
// launcher that the user has called.

#ifndef GYRE_APPS_GYRE_LAUNCH_HOSTS_SERVE_PART_H_
#define GYRE_APPS_GYRE_LAUNCH_HOSTS_SERVE_PART_H_

#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

// Reads the part from standard input, runs its ranks, and gives the exit code.
// Further lines are signals to pass on; the end of the input, as when the
// connection or the caller is gone, ends the ranks.
StatusOr<int> ServePart();

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_HOSTS_SERVE_PART_H_
