#include "apps/gyre/launch/launch_command.h"

#include <cstdio>

#include "apps/gyre/launch/launch_options.h"
#include "apps/gyre/launch/launcher.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/log.h"

namespace gyre::internal::inline apps {

int RunLaunch(std::span<const std::string> args) {
  const auto options = ParseLaunchOptions(args);
  if (!options.ok()) {
    LogError(Message(options.status()));
    return ExitCodeOf(options.status());
  }
  if (options->help) {
    const std::string text(LaunchHelp());
    std::fputs(text.c_str(), stdout);
    return kExitDone;
  }
  const auto code = Launch(*options);
  if (code.ok()) return *code;
  LogError(Message(code.status()));
  return ExitCodeOf(code.status());
}

}  // namespace gyre::internal::inline apps
