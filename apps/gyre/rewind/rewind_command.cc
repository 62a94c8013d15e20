#include "apps/gyre/rewind/rewind_command.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "apps/gyre/common/command_line.h"
#include "apps/gyre/launch/launcher.h"
#include "apps/gyre/rewind/rewind_plan.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/log.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kDescription[] =
    "Goes on from the last good checkpoint before step N, in a new run "
    "directory,\nwith the program and the arguments on record. The steps that "
    "must come out as\nthey did are compared to the bit; the first one that "
    "does not ends the run.\nArguments after -- are added to the program's, "
    "such as -- --lr 1e-3; nothing\nis compared then.";

Flags MakeFlags(RewindOptions& options, std::vector<std::string>& runs) {
  Flags flags("gyre rewind", kDescription);
  flags.AllowPositional("RUN", &runs, "the run directory");
  flags.Add("before-spike", &options.before, "the first step that is bad");
  flags.Add("skip-samples",
            &options.skip_samples,
            "ids of samples to leave out, such as 12,17; or auto: those that "
            "the records around step N name");
  flags.Add(
      "out", &options.out, "the new run directory; default: RUN-before-N");
  flags.Add("from-start",
            &options.from_start,
            "begin anew, with the same seed, not from a checkpoint");
  flags.Add("program",
            &options.program,
            "the program, where the one on record has moved");
  flags.Add("keep-going",
            &options.keep_going,
            "train on though a step came out otherwise");
  flags.Add("dry-run", &options.dry_run, "say what would be done");
  return flags;
}

StatusOr<int> Rewind(const RewindOptions& options) {
  GYRE_ASSIGN_OR_RETURN(const RewindPlan plan, MakeRewindPlan(options));
  Print("rewind " + plan.Describe());
  if (options.dry_run) return kExitDone;
  if (::chdir(plan.directory.c_str()) != 0) {
    return ConfigError(
        "cannot enter ", plan.directory, ": ", std::strerror(errno));
  }
  LaunchOptions launch;
  launch.ranks = plan.world;
  launch.plain_rank0 = true;
  launch.env = plan.environment;
  launch.env.emplace_back(kRewindVariable, plan.request.ToJson().Dump());
  launch.command = {plan.program};
  launch.command.insert(
      launch.command.end(), plan.arguments.begin(), plan.arguments.end());
  return Launch(launch);
}

}  // namespace

int RunRewind(std::span<const std::string> args) {
  RewindOptions options;
  std::vector<std::string> runs;
  const auto split = std::find(args.begin(), args.end(), "--");
  if (split != args.end()) options.extra.assign(split + 1, args.end());
  int code = kExitDone;
  const int failed = RunCommand(
      MakeFlags(options, runs),
      args.first(split - args.begin()),
      [&]() -> Status {
        GYRE_RETURN_IF_ERROR(CheckCount(
            runs,
            1,
            1,
            "gyre rewind RUN --before-spike N [--skip-samples IDS|auto]"));
        options.run = runs[0];
        GYRE_ASSIGN_OR_RETURN(code, Rewind(options));
        return OkStatus();
      });
  return failed != kExitDone ? failed : code;
}

}  // namespace gyre::internal::inline apps
