#include "apps/gyre/common/command_line.h"

#include <cstdio>
#include <vector>

#include "gyre/core/exit_code.h"
#include "gyre/core/log.h"

namespace gyre::internal::inline apps {
namespace {

Status ParseAndRun(const Flags& flags,
                   std::span<const std::string> args,
                   const std::function<Status()>& body) {
  std::vector<const char*> argv = {"gyre"};
  for (const std::string& arg : args) argv.push_back(arg.c_str());
  GYRE_ASSIGN_OR_RETURN(
      const ParseResult parsed,
      flags.Parse(static_cast<int>(argv.size()), argv.data()));
  return parsed == ParseResult::kHelpShown ? OkStatus() : body();
}

}  // namespace

int RunCommand(const Flags& flags,
               std::span<const std::string> args,
               const std::function<Status()>& body) {
  const Status status = ParseAndRun(flags, args, body);
  if (!status.ok()) LogError(Message(status));
  return ExitCodeOf(status);
}

Status CheckCount(const std::vector<std::string>& arguments,
                  std::size_t least,
                  std::size_t most,
                  std::string_view usage) {
  if (arguments.size() >= least && arguments.size() <= most) return OkStatus();
  return ConfigError(
      "usage: ", usage, "; got ", arguments.size(), " argument(s). See --help");
}

void Print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace gyre::internal::inline apps
