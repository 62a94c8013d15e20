#include "apps/gyre/report/report_command.h"

#include <vector>

#include "apps/gyre/common/command_line.h"
#include "gyre/core/io/file.h"
#include "gyre/core/log.h"
#include "gyre/monitor/records/run_records.h"
#include "gyre/monitor/report/report.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kDescription[] =
    "Writes a run as one HTML file to look at: loss and norms with their "
    "events,\nrank-local tails, timing, and what the program adds. It needs "
    "no network.";

struct Options {
  std::vector<std::string> paths;
  std::string out;
};

Flags MakeFlags(Options& options) {
  Flags flags("gyre report", kDescription);
  flags.AllowPositional("RUN", &options.paths, "a run directory");
  flags.Add("out", &options.out, "the file; default: report.html in RUN");
  return flags;
}

Status Run(const Options& options) {
  GYRE_RETURN_IF_ERROR(
      CheckCount(options.paths, 1, 1, "gyre report RUN [--out FILE]"));
  const std::string& path = options.paths[0];
  GYRE_ASSIGN_OR_RETURN(const RunRecords records, ReadRunRecords(path));
  const std::string out =
      options.out.empty() ? path + "/report.html" : options.out;
  GYRE_RETURN_IF_ERROR(WriteFileAtomically(out, BuildReport(records)));
  for (const std::string& note : records.notes) LogInfo("note: ", note);
  Print(out + "\n");
  return OkStatus();
}

}  // namespace

int RunReport(std::span<const std::string> args) {
  Options options;
  return RunCommand(MakeFlags(options), args, [&] { return Run(options); });
}

}  // namespace gyre::internal::inline apps
