#include "gyre/monitor/inspect/checkpoint_files.h"

#include <utility>

#include "gyre/core/hash.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/safetensors.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr ErrorKind kKind = ErrorKind::kCheckpoint;

std::string LatestOf(const std::string& run) {
  return run + "/checkpoints/latest";
}

void Verify(CheckpointFiles& files) {
  const Json* hashes = files.manifest.Find("hashes");
  if (hashes == nullptr) {
    files.problems.push_back("manifest.json has no hashes");
    return;
  }
  for (const auto& [name, hash] : hashes->members()) {
    const auto tensor = files.tensors.find(name);
    if (tensor == files.tensors.end()) {
      files.problems.push_back(name + " is missing from the files");
      continue;
    }
    const Tensor& t = tensor->second;
    const auto wanted = hash.AsHash();
    if (!wanted.ok() || *wanted != Hash64(t.raw(), t.bytes())) {
      files.problems.push_back(
          name + ": its hash is not the one in the manifest: it is damaged");
    }
  }
  for (const auto& [name, tensor] : files.tensors) {
    if (hashes->Find(name) == nullptr) {
      files.problems.push_back(name + " is not in the manifest");
    }
  }
}

Status ReadTensors(CheckpointFiles& files) {
  const Json* names = files.manifest.Find("files");
  if (names == nullptr || !names->is_array()) {
    return CheckpointError(files.folder,
                           "/manifest.json: \"files\" must be a list");
  }
  for (const Json& element : names->elements()) {
    GYRE_ASSIGN_OR_RETURN(const std::string name, element.AsString());
    if (name.find('/') != std::string::npos) {
      return CheckpointError(
          files.folder, "/manifest.json: \"", name, "\" is no name of a file");
    }
    auto file = ReadSafetensors(files.folder + "/" + name, kKind);
    if (!file.ok()) {
      files.problems.push_back(Message(file.status()));
      continue;
    }
    files.tensors.merge(file->tensors);
  }
  return OkStatus();
}

}  // namespace

bool IsCheckpoint(const std::string& path) {
  return FileExists(path + "/manifest.json");
}

bool HasCheckpoint(const std::string& path) {
  return IsCheckpoint(path) || IsCheckpoint(LatestOf(path));
}

StatusOr<CheckpointFiles> ReadCheckpointFiles(const std::string& path) {
  CheckpointFiles files;
  files.folder = IsCheckpoint(path) ? path : LatestOf(path);
  if (!IsCheckpoint(files.folder)) {
    return CheckpointError(
        path,
        " is no checkpoint: expected a folder with a manifest.json, or a run "
        "directory with checkpoints/latest");
  }
  const std::string manifest = files.folder + "/manifest.json";
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(manifest, kKind));
  auto json = Json::Parse(text, manifest);
  if (!json.ok()) return CheckpointError(Message(json.status()));
  files.manifest = *std::move(json);
  GYRE_RETURN_IF_ERROR(ReadTensors(files));
  Verify(files);
  return files;
}

}  // namespace gyre::internal::inline monitor
