#include "apps/gyre/inspect/inspect_command.h"

#include <vector>

#include "apps/gyre/common/command_line.h"
#include "core/io/file.h"
#include "monitor/inspect/checkpoint_files.h"
#include "monitor/inspect/inspect.h"
#include "monitor/records/run_records.h"

namespace gyre {
namespace {

constexpr char kDescription[] =
    "Shows a run directory, or a checkpoint tensor by tensor, its hashes "
    "checked.\nWith two of them: what differs, in run.json and tensor by "
    "tensor. A file\nending in .json may stand for a run.";

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

bool IsJsonFile(const std::string& path) {
  return path.size() > 5 && path.substr(path.size() - 5) == ".json" &&
         !DirectoryExists(path);
}

StatusOr<Json> ReadJson(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return Json::Parse(text, path);
}

StatusOr<Json> One(const std::string& path) {
  if (IsJsonFile(path)) return ReadJson(path);
  if (IsCheckpoint(path)) {
    GYRE_ASSIGN_OR_RETURN(const CheckpointFiles files,
                          ReadCheckpointFiles(path));
    return InspectCheckpoint(files);
  }
  GYRE_ASSIGN_OR_RETURN(const RunRecords records, ReadRunRecords(path));
  return InspectRun(records);
}

// What the path has of run.json; null for a checkpoint.
StatusOr<Json> RunJsonOf(const std::string& path) {
  if (IsJsonFile(path)) return ReadJson(path);
  if (!FileExists(path + "/run.json")) return Json();
  return ReadJson(path + "/run.json");
}

StatusOr<Json> Two(const std::string& a, const std::string& b) {
  Json result = Json::Object();
  GYRE_ASSIGN_OR_RETURN(const Json run_a, RunJsonOf(a));
  GYRE_ASSIGN_OR_RETURN(const Json run_b, RunJsonOf(b));
  const bool runs = !run_a.is_null() && !run_b.is_null();
  if (runs) result.Set("run", CompareJson(run_a, run_b));
  const bool both = HasCheckpoint(a) && HasCheckpoint(b);
  if (both || !runs) {
    GYRE_ASSIGN_OR_RETURN(const CheckpointFiles of_a, ReadCheckpointFiles(a));
    GYRE_ASSIGN_OR_RETURN(const CheckpointFiles of_b, ReadCheckpointFiles(b));
    result.Set("checkpoint", CompareCheckpoints(of_a, of_b));
  }
  return result;
}

Status Run(const Options& options) {
  GYRE_RETURN_IF_ERROR(CheckCount(
      options.paths, 1, 2, "gyre inspect RUN|CHECKPOINT [OTHER] [--json]"));
  const StatusOr<Json> result = options.paths.size() == 1
                                    ? One(options.paths[0])
                                    : Two(options.paths[0], options.paths[1]);
  GYRE_RETURN_IF_ERROR(result.status());
  Print(options.json ? result->Pretty() : InWords(*result));
  return OkStatus();
}

}  // namespace

int RunInspect(std::span<const std::string> args) {
  Options options;
  return RunCommand(MakeFlags(options), args, [&] { return Run(options); });
}

}  // namespace gyre
