// `gyre rewind`: goes on from before a bad step, in a new run directory, with
// the smallest change that may help, and shows that all else is as it was.

#ifndef GYRE_APPS_GYRE_REWIND_REWIND_COMMAND_H_
#define GYRE_APPS_GYRE_REWIND_REWIND_COMMAND_H_

#include <span>
#include <string>

namespace gyre::internal::inline apps {

// `args`: what follows "rewind".
int RunRewind(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_REWIND_REWIND_COMMAND_H_
