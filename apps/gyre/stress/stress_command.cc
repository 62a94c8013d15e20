#include "apps/gyre/stress/stress_command.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "apps/gyre/launch/launch_options.h"
#include "apps/gyre/launch/launcher.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/log.h"
#include "gyre/train/faults/fault.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kHelp[] =
    R"(usage: gyre stress [options] -- program [arguments]

Runs a training program with bad numbers in it, and prints how many were
injected, which half of the guard caught them, and whether a parameter, a
moment or a buffer was ever not finite.

  --faults KIND     VALUE_PLACE, or several with ";" between; default any_any
                    value: nan, inf, -inf, huge (1e30), tiny (denormal), any
                    place: data, act, grad, update, any
                    also as for --inject: nan_grad@rank=2,step=50
  --rate X          the share of the steps that have a fault; default 0.2
  --seed N          of the draws; default 0

All other options are those of gyre launch: -n, --log-dir, ...
)";

// "any_any" at a rate; what has an "@" of its own stays as it is.
std::string WithRate(const std::string& faults,
                     const std::string& rate,
                     const std::string& seed) {
  std::string text;
  std::size_t begin = 0;
  while (begin <= faults.size()) {
    const std::size_t end = std::min(faults.find(';', begin), faults.size());
    const std::string one = faults.substr(begin, end - begin);
    if (!text.empty()) text += ";";
    text += one;
    if (one.find('@') == std::string::npos) {
      text += "@rate=" + rate + ",seed=" + seed;
    }
    begin = end + 1;
  }
  return text;
}

}  // namespace

StatusOr<StressOptions> ParseStressOptions(std::span<const std::string> args) {
  StressOptions options;
  std::string faults = "any_any", rate = "0.2", seed = "0";
  const std::pair<const char*, std::string*> own[] = {
      {"--faults", &faults}, {"--rate", &rate}, {"--seed", &seed}};
  std::size_t i = 0;
  for (; i < args.size() && args[i] != "--"; ++i) {
    if (args[i] == "--help" || args[i] == "-h") {
      options.help = true;
      return options;
    }
    std::string* target = nullptr;
    for (const auto& [name, value] : own) {
      if (args[i] == name) target = value;
    }
    if (target == nullptr) {
      options.launch_args.push_back(args[i]);
      continue;
    }
    if (i + 1 == args.size()) {
      return ConfigError(args[i], " needs a value; see gyre stress --help");
    }
    *target = args[++i];
  }
  options.launch_args.insert(
      options.launch_args.end(), args.begin() + i, args.end());
  options.faults = WithRate(faults, rate, seed);
  GYRE_RETURN_IF_ERROR(FaultPlan::Parse(options.faults).status());
  return options;
}

int RunStress(std::span<const std::string> args) {
  const auto fail = [](const Status& status) {
    LogError(Message(status));
    return ExitCodeOf(status);
  };
  const auto stress = ParseStressOptions(args);
  if (!stress.ok()) return fail(stress.status());
  if (stress->help) {
    std::fputs(kHelp, stdout);
    return kExitDone;
  }
  auto launch = ParseLaunchOptions(stress->launch_args);
  if (!launch.ok()) return fail(launch.status());
  launch->env.emplace_back("GYRE_INJECT", stress->faults);
  const auto code = Launch(*launch);
  return code.ok() ? *code : fail(code.status());
}

}  // namespace gyre::internal::inline apps
