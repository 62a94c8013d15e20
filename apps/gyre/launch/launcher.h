// `gyre launch`: starts the ranks, merges their output, ends them together.

#ifndef GYRE_APPS_GYRE_LAUNCH_LAUNCHER_H_
#define GYRE_APPS_GYRE_LAUNCH_LAUNCHER_H_

#include <string>

#include "apps/gyre/launch/launch_options.h"
#include "apps/gyre/launch/output.h"
#include "gyre/collectives/shm/memfd.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

// Returns when all ranks have ended: the exit code for the launcher. Prints
// who failed first. Errors: the ranks could not be started.
//
// WARNING 1: takes over the process: it blocks signals, and is for a program
// with one thread.
StatusOr<int> Launch(const LaunchOptions& options);

// For the launcher's own parts.

// Blocks what the launcher handles; it is read from the returned file.
StatusOr<FileHandle> CatchSignals();

// How the lines of a world of `size` ranks are marked.
Output::Marks MarksFor(const LaunchOptions& options, int size);

// Puts certificates (none: "") where the ranks find them while the returned
// file is open, and tells them by network.tls.
StatusOr<FileHandle> ShareCertificates(const std::string& text,
                                       NetworkOptions& network);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_LAUNCHER_H_
