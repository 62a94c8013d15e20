// `gyre trace`: the timeline of a run for Perfetto.

#ifndef GYRE_APPS_GYRE_TRACE_TRACE_COMMAND_H_
#define GYRE_APPS_GYRE_TRACE_TRACE_COMMAND_H_

#include <span>
#include <string>

namespace gyre::internal::inline apps {

// `args`: what follows "trace".
int RunTrace(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_TRACE_TRACE_COMMAND_H_
