// gyre: the command.

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/gyre/bench/bench_command.h"
#include "apps/gyre/data/data_command.h"
#include "apps/gyre/doctor/doctor_command.h"
#include "apps/gyre/inspect/inspect_command.h"
#include "apps/gyre/launch/launch_command.h"
#include "apps/gyre/new/new_command.h"
#include "apps/gyre/replay/replay_command.h"
#include "apps/gyre/report/report_command.h"
#include "apps/gyre/rewind/rewind_command.h"
#include "apps/gyre/spikes/spikes_command.h"
#include "apps/gyre/stress/stress_command.h"
#include "apps/gyre/trace/trace_command.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/log.h"
#include "gyre/core/nearest_word.h"

namespace {

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(std::span<const std::string> args);
};

// A new command is one line here.
constexpr Command kCommands[] = {
    {"launch", "start the ranks of a program", gyre::internal::RunLaunch},
    {"new",
     "write a small project with a loss of its own",
     gyre::internal::RunNew},
    {"bench",
     "measure the collectives of a machine or a network",
     gyre::internal::RunBench},
#ifdef GYRE_WITH_DATA
    {"data", "show what is in a scientific file", gyre::internal::RunData},
#endif
    {"stress",
     "run a program with bad numbers in it",
     gyre::internal::RunStress},
    {"doctor", "say what may be wrong with a run", gyre::internal::RunDoctor},
    {"inspect",
     "show a run or checkpoint, or compare two",
     gyre::internal::RunInspect},
    {"replay",
     "run a bad step again, and find what cures it",
     gyre::internal::RunReplay},
    {"report", "write a run as one HTML file", gyre::internal::RunReport},
    {"rewind", "go on from before a bad step", gyre::internal::RunRewind},
    {"spikes",
     "find and sort the spikes of a run or log",
     gyre::internal::RunSpikes},
    {"trace", "write a run's timeline for Perfetto", gyre::internal::RunTrace},
};

std::string Help() {
  std::string text = R"(usage: gyre <command> [options]

Gyre trains models with loss functions of your own on several processes.

commands:
)";
  for (const Command& command : kCommands) {
    std::string name(command.name);
    name.resize(10, ' ');
    text += "  " + name + std::string(command.summary) + "\n";
  }
  return text + R"(
  gyre <command> --help   the options of a command
  gyre --help             this text
  gyre --version          the version
)";
}

int UnknownCommand(const std::string& word) {
  std::vector<std::string> names;
  std::string list;
  for (const Command& command : kCommands) {
    names.emplace_back(command.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const std::string meant = gyre::internal::NearestWord(word, names);
  gyre::internal::LogError("gyre: unknown command \"",
                           word,
                           "\"",
                           meant.empty() ? "" : "; did you mean " + meant + "?",
                           "; the commands are: ",
                           list,
                           ". See gyre --help");
  return gyre::kExitUsage;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.empty()) {
    std::fputs(Help().c_str(), stderr);
    return gyre::kExitUsage;
  }
  for (const Command& command : kCommands) {
    if (args[0] == command.name) return command.run(std::span(args).subspan(1));
  }
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    std::fputs(Help().c_str(), stdout);
    return gyre::kExitDone;
  }
  if (args[0] == "--version") {
    std::puts("gyre " GYRE_VERSION);
    return gyre::kExitDone;
  }
  return UnknownCommand(args[0]);
}
