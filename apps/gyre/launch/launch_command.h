// `gyre launch`: from its arguments to its exit code.

#ifndef GYRE_APPS_GYRE_LAUNCH_LAUNCH_COMMAND_H_
#define GYRE_APPS_GYRE_LAUNCH_LAUNCH_COMMAND_H_

#include <span>
#include <string>

namespace gyre::internal::inline apps {

// `args`: what follows "launch".
int RunLaunch(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_LAUNCH_COMMAND_H_
