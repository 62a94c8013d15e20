#include "apps/gyre/trace/trace_command.h"

#include <vector>

#include "apps/gyre/common/command_line.h"
#include "gyre/core/log.h"
#include "gyre/monitor/records/run_records.h"
#include "gyre/monitor/records/timeline.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kDescription[] =
    "Writes the timeline of a run, computing and waiting by rank, for "
    "Perfetto\nor chrome://tracing. The ranks are lined up at the ends of "
    "their steps.";

struct Options {
  std::vector<std::string> paths;
  std::string out;
};

Flags MakeFlags(Options& options) {
  Flags flags("gyre trace", kDescription);
  flags.AllowPositional("RUN", &options.paths, "a run directory");
  flags.Add("out", &options.out, "the file; default: trace.json in RUN");
  return flags;
}

Status Run(const Options& options) {
  GYRE_RETURN_IF_ERROR(
      CheckCount(options.paths, 1, 1, "gyre trace RUN [--out FILE]"));
  const std::string& path = options.paths[0];
  GYRE_ASSIGN_OR_RETURN(const RunRecords records, ReadRunRecords(path));
  if (records.ranks.empty()) {
    return DataError(path, " has no records of its ranks (ranks/*.jsonl)");
  }
  const ChromeTrace trace = TimelineOf(records);
  if (trace.dropped() > 0) {
    LogWarning("the last ", trace.dropped(), " spans did not fit");
  }
  const std::string out =
      options.out.empty() ? path + "/trace.json" : options.out;
  GYRE_RETURN_IF_ERROR(trace.Write(out));
  Print(out + "\n");
  return OkStatus();
}

}  // namespace

int RunTrace(std::span<const std::string> args) {
  Options options;
  return RunCommand(MakeFlags(options), args, [&] { return Run(options); });
}

}  // namespace gyre::internal::inline apps
