// gyre: the command.

#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "apps/gyre/launch/launch_options.h"
#include "apps/gyre/launch/launcher.h"
#include "core/exit_code.h"
#include "core/log.h"

namespace {

constexpr char kHelp[] = R"(usage: gyre <command> [options]

Gyre trains models with loss functions of your own on several processes.

commands:
  launch    start the ranks of a program on this machine

  gyre <command> --help   the options of a command
  gyre --help             this text
  gyre --version          the version
)";

int RunLaunch(std::span<const std::string> args) {
  const auto options = gyre::ParseLaunchOptions(args);
  if (!options.ok()) {
    gyre::LogError(gyre::Message(options.status()));
    return gyre::ExitCodeOf(options.status());
  }
  if (options->help) {
    const std::string text(gyre::LaunchHelp());
    std::fputs(text.c_str(), stdout);
    return gyre::kExitDone;
  }
  const auto code = gyre::Launch(*options);
  if (code.ok()) return *code;
  gyre::LogError(gyre::Message(code.status()));
  return gyre::ExitCodeOf(code.status());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.empty()) {
    std::fputs(kHelp, stderr);
    return gyre::kExitUsage;
  }
  if (args[0] == "launch") return RunLaunch(std::span(args).subspan(1));
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    std::fputs(kHelp, stdout);
    return gyre::kExitDone;
  }
  if (args[0] == "--version") {
    std::puts("gyre " GYRE_VERSION);
    return gyre::kExitDone;
  }
  gyre::LogError("gyre: unknown command \"",
                 args[0],
                 "\"; the commands are: launch. See gyre --help");
  return gyre::kExitUsage;
}
