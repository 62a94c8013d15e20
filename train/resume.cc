#include "train/resume.h"

#include <charconv>
#include <cstdlib>
#include <vector>

#include "core/hash.h"
#include "core/io/file.h"
#include "core/io/json.h"
#include "core/io/safetensors.h"
#include "core/log.h"

namespace gyre {
namespace {

// How launchers count the times that they have started a program again:
// ours, torchrun, and Slurm when it puts a job back into its queue.
constexpr const char* kRestarts[] = {
    "GYRE_RESTART", "TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"};
constexpr ErrorKind kKind = ErrorKind::kCheckpoint;

StatusOr<bool> IsRestart() {
  for (const char* const name : kRestarts) {
    const char* const value = std::getenv(name);
    if (value == nullptr) continue;
    const std::string_view text = value;
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || number < 0) {
      return ConfigError(name,
                         "=\"",
                         text,
                         "\": a number of restarts was expected; launchers "
                         "set it, unset it otherwise");
    }
    if (number > 0) return true;
  }
  return false;
}

// Holds every tensor of the files against the manifest's hash.
Status CheckTensors(const std::string& folder, const Json& manifest) {
  const Json* const files = manifest.Find("files");
  const Json* const hashes = manifest.Find("hashes");
  if (files == nullptr || hashes == nullptr) {
    return CheckpointError("files or hashes are missing");
  }
  std::size_t checked = 0;
  for (const Json& name : files->elements()) {
    GYRE_ASSIGN_OR_RETURN(const std::string file, name.AsString());
    GYRE_ASSIGN_OR_RETURN(const Safetensors content,
                          ReadSafetensors(folder + "/" + file, kKind));
    for (const auto& [tensor_name, tensor] : content.tensors) {
      const Json* const hash = hashes->Find(tensor_name);
      if (hash == nullptr || !(HexHash(Hash64(tensor.raw(), tensor.bytes())) ==
                               hash->AsString().value_or(""))) {
        return CheckpointError("\"", tensor_name, "\" is damaged");
      }
      ++checked;
    }
  }
  if (checked != hashes->members().size()) {
    return CheckpointError("tensors are missing");
  }
  return OkStatus();
}

// Whether a checkpoint is good; an error when it cannot be trusted.
StatusOr<bool> IsGood(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kKind));
  GYRE_ASSIGN_OR_RETURN(const Json manifest, Json::Parse(text, path));
  GYRE_ASSIGN_OR_RETURN(const bool good, manifest.GetBool("good"));
  if (!good) return false;
  GYRE_RETURN_IF_ERROR(CheckTensors(folder, manifest));
  return true;
}

}  // namespace

StatusOr<std::string> NewestGoodCheckpoint(const std::string& path) {
  const std::string folder = path + "/checkpoints";
  if (!DirectoryExists(folder)) return std::string();
  GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                        ListDirectory(folder, kKind));
  // The names sort as the steps do.
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    const std::string candidate = folder + "/" + *name;
    if (name->rfind("step-", 0) != 0 ||
        !FileExists(candidate + "/manifest.json")) {
      continue;
    }
    const auto good = IsGood(candidate);
    if (good.ok() && *good) return candidate;
    if (!good.ok()) {
      LogWarning(candidate, " is passed over: ", Message(good.status()));
    }
  }
  return std::string();
}

StatusOr<std::string> ResumePoint(const std::string& out,
                                  const std::string& resume) {
  GYRE_ASSIGN_OR_RETURN(const bool restart, IsRestart());
  if (!restart) return resume;
  GYRE_ASSIGN_OR_RETURN(const std::string newest, NewestGoodCheckpoint(out));
  return newest.empty() ? resume : newest;
}

}  // namespace gyre
