#include "gyre/train/checkpoint/checkpoint_files.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "gyre/core/hash.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/safetensors.h"
#include "gyre/core/log.h"

namespace gyre::internal::inline train {
namespace {

constexpr std::string_view kStepPrefix = "step-";

std::string StateFile(int number) {
  char name[48];
  std::snprintf(name, sizeof(name), "state-%05d.safetensors", number);
  return name;
}

// A name in the folder, and nothing above it.
StatusOr<std::string> FileName(const Json& element) {
  GYRE_ASSIGN_OR_RETURN(const std::string name, element.AsString());
  if (!name.empty() && name.find('/') == std::string::npos) return name;
  return CheckpointError("\"", name, "\" is no name of a file");
}

Status CheckTensor(const std::string& name,
                   const Tensor& tensor,
                   const Json& hashes,
                   const std::string& path) {
  const Json* const hash = hashes.Find(name);
  if (hash == nullptr) {
    return CheckpointError(
        path, ": \"", name, "\" does not stand in manifest.json");
  }
  const auto wanted = hash->AsHash();
  const std::uint64_t found = Hash64(tensor.raw(), tensor.bytes());
  if (wanted.ok() && *wanted == found) return OkStatus();
  return CheckpointError(path,
                         ": \"",
                         name,
                         "\" is damaged: its hash is ",
                         HexHash(found),
                         ", not the one in manifest.json; use an older "
                         "checkpoint");
}

StatusOr<CheckpointEntry> ReadEntry(const std::string& folder,
                                    const std::string& name) {
  CheckpointEntry entry{.name = name};
  const char* const end = name.data() + name.size();
  const auto [stop, error] =
      std::from_chars(name.data() + kStepPrefix.size(), end, entry.step);
  if (error != std::errc() || stop != end) {
    return CheckpointError(folder, "/", name, " is no name of a checkpoint");
  }
  GYRE_ASSIGN_OR_RETURN(const Json manifest, ReadManifest(folder + "/" + name));
  GYRE_ASSIGN_OR_RETURN(entry.good, manifest.GetBool("good"));
  // Of format 1, the steps are the order.
  entry.sequence = manifest.GetInt("sequence").value_or(0);
  return entry;
}

// What a link within its own folder points to; empty: it is none.
std::string TargetBeside(const std::string& link) {
  std::error_code error;
  const auto target = std::filesystem::read_symlink(link, error);
  if (error || target.has_parent_path()) return "";
  return target.string();
}

std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

StatusOr<std::string> PlaceOfCheckpoint(const std::string& path) {
  if (FileExists(path + "/manifest.json")) {
    return TargetBeside(WithoutSlashes(path));
  }
  const std::string folder = path + "/checkpoints";
  if (FileExists(folder + "/latest/manifest.json")) {
    const std::string target = TargetBeside(folder + "/latest");
    return "checkpoints/" + (target.empty() ? "latest" : target);
  }
  return CheckpointError(
      path,
      " is no checkpoint: expected a folder with a manifest.json, or a "
      "run directory with checkpoints/latest");
}

std::string FolderAt(const std::string& path, const std::string& place) {
  if (place.empty()) return path;
  if (place.find('/') != std::string::npos) return path + "/" + place;
  const std::string link = WithoutSlashes(path);
  const std::size_t slash = link.rfind('/');
  return slash == std::string::npos ? place : link.substr(0, slash + 1) + place;
}

StatusOr<Json> ReadManifest(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  GYRE_ASSIGN_OR_RETURN(const std::string text,
                        ReadFile(path, kCheckpointError));
  auto manifest = Json::Parse(text, path);
  if (!manifest.ok()) {
    return MakeError(
        kCheckpointError, manifest.status().code(), Message(manifest.status()));
  }
  const auto format = manifest->GetInt("format");
  if (!format.ok()) {
    return CheckpointError(path, ": ", Message(format.status()));
  }
  if (*format < 1 || *format > kCheckpointFormat) {
    return CheckpointError(path,
                           ": format ",
                           *format,
                           "; this build reads 1 to ",
                           kCheckpointFormat);
  }
  return manifest;
}

Status WriteTensors(const TensorsByName& tensors,
                    const std::string& folder,
                    Json& manifest,
                    std::size_t most_bytes) {
  Json files = Json::Array();
  Json hashes = Json::Object();
  Safetensors file;
  std::size_t bytes = 0;
  const auto flush = [&]() -> Status {
    const std::string name =
        StateFile(static_cast<int>(files.elements().size()));
    files.Append(name);
    GYRE_RETURN_IF_ERROR(
        WriteSafetensors(folder + "/" + name, file, kCheckpointError));
    file = Safetensors();
    bytes = 0;
    return OkStatus();
  };
  for (const auto& [name, tensor] : tensors) {
    if (bytes > 0 && bytes + tensor.bytes() > most_bytes) {
      GYRE_RETURN_IF_ERROR(flush());
    }
    hashes.Set(name, HexHash(Hash64(tensor.raw(), tensor.bytes())));
    file.tensors[name] = tensor;
    bytes += tensor.bytes();
  }
  GYRE_RETURN_IF_ERROR(flush());
  manifest.Set("files", std::move(files)).Set("hashes", std::move(hashes));
  return OkStatus();
}

StatusOr<TensorsByName> ReadVerified(const std::string& folder,
                                     const Json& manifest) {
  const Json* const files = manifest.Find("files");
  const Json* const hashes = manifest.Find("hashes");
  if (files == nullptr || hashes == nullptr) {
    return CheckpointError(folder,
                           "/manifest.json: files or hashes are missing");
  }
  TensorsByName tensors;
  for (const Json& element : files->elements()) {
    GYRE_ASSIGN_OR_RETURN(const std::string name, FileName(element));
    const std::string path = folder + "/" + name;
    GYRE_ASSIGN_OR_RETURN(Safetensors file,
                          ReadSafetensors(path, kCheckpointError));
    for (auto& [tensor_name, tensor] : file.tensors) {
      GYRE_RETURN_IF_ERROR(CheckTensor(tensor_name, tensor, *hashes, path));
    }
    tensors.merge(file.tensors);
  }
  for (const auto& [name, hash] : hashes->members()) {
    if (tensors.count(name) > 0) continue;
    return CheckpointError(
        folder, ": no file has the tensor \"", name, "\" of manifest.json");
  }
  return tensors;
}

Status VerifyCheckpoint(const std::string& folder) {
  GYRE_ASSIGN_OR_RETURN(const Json manifest, ReadManifest(folder));
  return ReadVerified(folder, manifest).status();
}

StatusOr<std::vector<CheckpointEntry>> ListCheckpoints(
    const std::string& folder) {
  std::vector<CheckpointEntry> entries;
  if (!DirectoryExists(folder)) return entries;
  GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                        ListDirectory(folder, kCheckpointError));
  for (const std::string& name : names) {
    if (name.rfind(kStepPrefix, 0) != 0 ||
        !FileExists(folder + "/" + name + "/manifest.json")) {
      continue;
    }
    auto entry = ReadEntry(folder, name);
    if (entry.ok()) {
      entries.push_back(*std::move(entry));
    } else {
      LogWarning(
          folder, "/", name, " is passed over: ", Message(entry.status()));
    }
  }
  std::stable_sort(entries.begin(),
                   entries.end(),
                   [](const CheckpointEntry& a, const CheckpointEntry& b) {
                     return std::pair(a.sequence, a.step) <
                            std::pair(b.sequence, b.step);
                   });
  return entries;
}

}  // namespace gyre::internal::inline train
