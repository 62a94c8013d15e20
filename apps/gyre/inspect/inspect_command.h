// `gyre inspect`: a run or a checkpoint in words, or two of them compared.

#ifndef GYRE_APPS_GYRE_INSPECT_INSPECT_COMMAND_H_
#define GYRE_APPS_GYRE_INSPECT_INSPECT_COMMAND_H_

#include <span>
#include <string>

namespace gyre::internal::inline apps {

// `args`: what follows "inspect".
int RunInspect(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_INSPECT_INSPECT_COMMAND_H_
