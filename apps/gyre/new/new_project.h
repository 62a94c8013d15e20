// Writes a small project outside the tree: a loss of its own, its test, and
// what builds both.

#ifndef GYRE_APPS_GYRE_NEW_NEW_PROJECT_H_
#define GYRE_APPS_GYRE_NEW_NEW_PROJECT_H_

#include <string>

#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

// Checks a name that CMake targets, a program and include guards are made of.
// Errors say what a name may be, and one that would do.
Status CheckProjectName(const std::string& name);

// Writes the project into the folder `path`, made if it is not there, and
// returns its name, which is the folder's. Config errors: a bad name; no
// folder above `path`; a file, or a folder that is not empty, at `path`.
StatusOr<std::string> WriteNewProject(const std::string& path);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_NEW_NEW_PROJECT_H_
