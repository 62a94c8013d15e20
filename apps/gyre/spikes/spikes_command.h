// `gyre spikes`: the bad stretches of a run, or of any log, and their class.

#ifndef GYRE_APPS_GYRE_SPIKES_SPIKES_COMMAND_H_
#define GYRE_APPS_GYRE_SPIKES_SPIKES_COMMAND_H_

#include <span>
#include <string>

namespace gyre::internal::inline apps {

// `args`: what follows "spikes".
int RunSpikes(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_SPIKES_SPIKES_COMMAND_H_
