#include "apps/gyre/replay/replay_options.h"

#include <algorithm>

#include "apps/gyre/common/command_line.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kDescription[] =
    R"(Runs a bad step again, as it was kept in RUN/evidence/step-N: the same
program, state, batches and number of ranks, on this machine. Says whether
the same bits came out, and then, one change at a time, which change makes
the bad number disappear: f64 throughout, plain kernels, one rank, no
generated code. The run itself is not touched, and nothing is trained.

Changes that are asked for are tried in place of these; --all tries both.
What follows "--" is added to the program's own arguments, as one change:

  gyre replay runs/storm --step 1 -- --loss storm_softplus

With --diff, compares two runs, checkpoints or kept steps: run.json, and
tensor by tensor.)";

Flags MakeFlags(ReplayOptions& o) {
  Flags flags("gyre replay", kDescription);
  flags.AllowPositional("RUN", &o.paths, "run directory, or a kept step's");
  flags.Add("step", &o.step, "the step; -1: the only one that was kept");
  flags.AddChoice("precision",
                  &o.precision,
                  {"", "f64", "f32"},
                  "compute model and loss in this type");
  flags.AddChoice(
      "kernels", &o.kernels, {"", "reference", "fast"}, "which kernels");
  flags.AddChoice("jit", &o.jit, {"", "off", "on"}, "generated loops");
  flags.Add("ranks", &o.ranks, "1: all batches joined, on one rank");
  flags.Add("all", &o.all, "try every change");
  flags.Add("plain", &o.plain, "try no change");
  flags.Add("diff", &o.diff, "compare two of them instead");
  flags.Add("program", &o.program, "the program, if it has moved");
  flags.Add("other-build",
            &o.other_build,
            "also with another build of the program; bits may differ");
  flags.Add("timeout", &o.timeout_s, "seconds for each time it is run");
  flags.Add("json", &o.json, "print an object");
  return flags;
}

Status Check(const ReplayOptions& o) {
  constexpr char kUsage[] = "gyre replay RUN --step N [-- arguments]";
  if (o.diff) {
    return CheckCount(o.paths, 2, 2, "gyre replay --diff A B [--json]");
  }
  GYRE_RETURN_IF_ERROR(CheckCount(o.paths, 1, 1, kUsage));
  if (o.plain && (o.all || o.asks_for_changes())) {
    return ConfigError("--plain tries no change: leave it out, or the others");
  }
  if (o.ranks != 0 && o.ranks != 1) {
    return ConfigError("--ranks must be 1, got ",
                       o.ranks,
                       "; without it, the step is run on as many as it had");
  }
  if (!(o.timeout_s > 0)) {
    return ConfigError("--timeout must be above 0, got ", o.timeout_s);
  }
  return OkStatus();
}

}  // namespace

StatusOr<ReplayOptions> ParseReplayOptions(std::span<const std::string> args) {
  ReplayOptions options;
  const auto end = std::find(args.begin(), args.end(), "--");
  std::vector<const char*> argv = {"gyre replay"};
  for (auto it = args.begin(); it != end; ++it) argv.push_back(it->c_str());
  if (end != args.end()) options.extra.assign(end + 1, args.end());
  const Flags flags = MakeFlags(options);
  GYRE_ASSIGN_OR_RETURN(
      const ParseResult parsed,
      flags.Parse(static_cast<int>(argv.size()), argv.data()));
  options.help = parsed == ParseResult::kHelpShown;
  if (!options.help) GYRE_RETURN_IF_ERROR(Check(options));
  return options;
}

}  // namespace gyre::internal::inline apps
