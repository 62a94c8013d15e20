// What the commands of gyre have in common.
//
//   int RunSpikes(std::span<const std::string> args) {
//     Options options;
//     return RunCommand(MakeFlags(options), args, [&] { ... });
//   }

#ifndef GYRE_APPS_GYRE_COMMON_COMMAND_LINE_H_
#define GYRE_APPS_GYRE_COMMON_COMMAND_LINE_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/flags.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

// Parses, runs, prints the error if there is one, and gives the exit code.
int RunCommand(const Flags& flags,
               std::span<const std::string> args,
               const std::function<Status()>& body);

// A config error that shows the usage unless there are from `least` to `most`
// of them.
Status CheckCount(const std::vector<std::string>& arguments,
                  std::size_t least,
                  std::size_t most,
                  std::string_view usage);

void Print(std::string_view text);  // to standard output

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_COMMON_COMMAND_LINE_H_
