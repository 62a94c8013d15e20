#include "apps/gyre/inspect/compare_paths.h"

#include "gyre/core/io/file.h"
#include "gyre/monitor/inspect/checkpoint_files.h"
#include "gyre/monitor/inspect/inspect.h"

namespace gyre::internal::inline apps {
namespace {

// What the path has of run.json; null for a checkpoint.
StatusOr<Json> RunJsonOf(const std::string& path) {
  if (IsJsonFile(path)) return ReadJson(path);
  if (!FileExists(path + "/run.json")) return Json();
  return ReadJson(path + "/run.json");
}

}  // namespace

bool IsJsonFile(const std::string& path) {
  return path.size() > 5 && path.substr(path.size() - 5) == ".json" &&
         !DirectoryExists(path);
}

StatusOr<Json> ReadJson(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return Json::Parse(text, path);
}

StatusOr<Json> ComparePaths(const std::string& a, const std::string& b) {
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

}  // namespace gyre::internal::inline apps
