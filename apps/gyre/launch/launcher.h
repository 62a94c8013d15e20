// `gyre launch`: starts the ranks, merges their output, ends them together.

#ifndef GYRE_APPS_GYRE_LAUNCH_LAUNCHER_H_
#define GYRE_APPS_GYRE_LAUNCH_LAUNCHER_H_

#include "apps/gyre/launch/launch_options.h"
#include "core/status.h"

namespace gyre {

// Returns when all ranks have ended: the exit code for the launcher. Prints
// who failed first. Errors: the ranks could not be started.
//
// WARNING 1: takes over the process: it blocks signals, and is for a program
// with one thread.
StatusOr<int> Launch(const LaunchOptions& options);

}  // namespace gyre

#endif  // GYRE_APPS_GYRE_LAUNCH_LAUNCHER_H_
