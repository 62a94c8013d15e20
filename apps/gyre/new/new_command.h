// `gyre new`: a small project of one's own, outside Gyre's tree.

#ifndef GYRE_APPS_GYRE_NEW_NEW_COMMAND_H_
#define GYRE_APPS_GYRE_NEW_NEW_COMMAND_H_

#include <span>
#include <string>

namespace gyre::internal::inline apps {

// `args`: what follows "new".
int RunNew(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_NEW_NEW_COMMAND_H_
