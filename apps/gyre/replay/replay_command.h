// `gyre replay`: a bad step, run again.

#ifndef GYRE_APPS_GYRE_REPLAY_REPLAY_COMMAND_H_
#define GYRE_APPS_GYRE_REPLAY_REPLAY_COMMAND_H_

#include <span>
#include <string>

namespace gyre::internal::inline apps {

// `args`: what follows "replay". The exit code is 0 when the replay gave the
// same bits, kExitMismatch when it did not.
int RunReplay(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_REPLAY_REPLAY_COMMAND_H_
