// `gyre data`: what is in scientific files.

#ifndef GYRE_APPS_GYRE_DATA_DATA_COMMAND_H_
#define GYRE_APPS_GYRE_DATA_DATA_COMMAND_H_

#include <span>
#include <string>

namespace gyre::internal::inline apps {

// `args`: what follows "data".
int RunData(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_DATA_DATA_COMMAND_H_
