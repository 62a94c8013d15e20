#include "apps/gyre/inspect/inspect_command.h"

#include <vector>

#include "apps/gyre/common/command_line.h"
#include "apps/gyre/inspect/compare_paths.h"
#include "gyre/core/io/file.h"
#include "gyre/monitor/inspect/checkpoint_files.h"
#include "gyre/monitor/inspect/difference_table.h"
#include "gyre/monitor/inspect/inspect.h"
#include "gyre/monitor/records/run_records.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kDescription[] =
    "Shows a run directory, or a checkpoint or kept step (evidence/step-N)\n"
    "tensor by tensor, its hashes checked. With two of them: what differs, in\n"
    "run.json and tensor by tensor. A file ending in .json may stand for a "
    "run.";

struct Options {
  std::vector<std::string> paths;
  bool json = false;
};

Flags MakeFlags(Options& options) {
  Flags flags("gyre inspect", kDescription);
  flags.AllowPositional(
      "RUN|CHECKPOINT", &options.paths, "one to show, two to compare");
  flags.Add("json", &options.json, "print an object");
  return flags;
}

StatusOr<Json> One(const std::string& path) {
  if (IsJsonFile(path)) return ReadJson(path);
  if (IsCheckpoint(path)) {
    GYRE_ASSIGN_OR_RETURN(const CheckpointFiles files,
                          ReadCheckpointFiles(path));
    return InspectCheckpoint(files);
  }
  if (FileExists(path) && !DirectoryExists(path)) {
    return DataError(
        path,
        " is a file; runs, checkpoints and kept steps are folders. "
        "What is in a NetCDF file, `gyre data inspect ",
        path,
        "` shows");
  }
  GYRE_ASSIGN_OR_RETURN(const RunRecords records, ReadRunRecords(path));
  return InspectRun(records);
}

Status Run(const Options& options) {
  GYRE_RETURN_IF_ERROR(CheckCount(
      options.paths, 1, 2, "gyre inspect RUN|CHECKPOINT [OTHER] [--json]"));
  const bool one = options.paths.size() == 1;
  const StatusOr<Json> result =
      one ? One(options.paths[0])
          : ComparePaths(options.paths[0], options.paths[1]);
  GYRE_RETURN_IF_ERROR(result.status());
  Print(options.json ? result->Pretty()
        : one        ? InWords(*result)
                     : DifferenceTable(*result));
  return OkStatus();
}

}  // namespace

int RunInspect(std::span<const std::string> args) {
  Options options;
  return RunCommand(MakeFlags(options), args, [&] { return Run(options); });
}

}  // namespace gyre::internal::inline apps
