// Where `gyre launch -- program` finds the program.

#ifndef GYRE_APPS_GYRE_LAUNCH_PROGRAM_LOOKUP_H_
#define GYRE_APPS_GYRE_LAUNCH_PROGRAM_LOOKUP_H_

#include <string>

#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

// As given, then in `own_folder`, then in the folders of `path` (separated by
// colons). Error: nowhere, or what is there cannot be run.
StatusOr<std::string> FindProgram(const std::string& name,
                                  const std::string& own_folder,
                                  const std::string& path);

// The folder of the running program; "" when the system does not tell.
std::string OwnFolder();

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_PROGRAM_LOOKUP_H_
