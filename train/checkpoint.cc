#include "train/checkpoint.h"

#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "core/finite.h"
#include "core/hash.h"
#include "core/io/file.h"
#include "core/io/json.h"
#include "core/io/safetensors.h"
#include "core/log.h"
#include "train/guard_json.h"
#include "train/replay.h"

namespace gyre {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr char kStateFile[] = "state-00000.safetensors";
constexpr ErrorKind kKind = ErrorKind::kCheckpoint;

struct BankPart {
  std::string name;
  const optim::FlatLayout* layout;
};

// The arrays of a bank, in order: "params", "state/0.m", ..., "buffers".
std::vector<BankPart> PartsOf(const TrainStep& step) {
  std::vector<BankPart> parts = {{"params", &step.layout()}};
  const std::vector<std::string> names = step.optimizer().StateNames();
  for (std::size_t k = 0; k < names.size(); ++k) {
    parts.push_back({"state/" + names[k], &step.state_layouts()[k]});
  }
  parts.push_back({"buffers", &step.buffer_layout()});
  return parts;
}

// Calls visit(name, slot, its elements) for every tensor of a bank.
template <class T, class Visit>
Status ForEachTensor(const TrainStep& step,
                     std::span<T> all,
                     const Visit& visit) {
  std::int64_t start = 0;
  for (const BankPart& part : PartsOf(step)) {
    for (const optim::TensorSlot& slot : part.layout->tensors()) {
      GYRE_RETURN_IF_ERROR(visit(Cat(part.name, "/", slot.name),
                                 slot,
                                 all.subspan(start + slot.offset, slot.size)));
    }
    start += part.layout->elements();
  }
  return OkStatus();
}

// The folder that `path` means.
StatusOr<std::string> Locate(const std::string& path) {
  if (FileExists(path + "/manifest.json")) return path;
  const std::string latest = path + "/checkpoints/latest";
  if (FileExists(latest + "/manifest.json")) return latest;
  return CheckpointError(
      path,
      " is no checkpoint: expected a folder with a manifest.json, or a "
      "run directory with checkpoints/latest");
}

struct Manifest {
  std::int64_t next_step = 0;
  std::string optimizer;
  optim::GuardState guard;
  std::map<std::string, std::uint64_t> hashes;
};

StatusOr<Manifest> ParseManifest(const Json& json) {
  Manifest manifest;
  GYRE_ASSIGN_OR_RETURN(const std::int64_t format, json.GetInt("format"));
  if (format != kFormat) {
    return CheckpointError("format ", format, "; this build reads ", kFormat);
  }
  GYRE_ASSIGN_OR_RETURN(manifest.next_step, json.GetInt("next_step"));
  GYRE_ASSIGN_OR_RETURN(manifest.optimizer, json.GetString("optimizer"));
  const Json* counters = json.Find("counters");
  const Json* hashes = json.Find("hashes");
  if (counters == nullptr || hashes == nullptr) {
    return CheckpointError("counters or hashes are missing");
  }
  GYRE_ASSIGN_OR_RETURN(manifest.guard, GuardStateFrom(*counters));
  for (const Json::Member& member : hashes->members()) {
    GYRE_ASSIGN_OR_RETURN(manifest.hashes[member.first],
                          member.second.AsHash());
  }
  return manifest;
}

StatusOr<Manifest> ReadManifest(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kKind));
  auto json = Json::Parse(text, path);
  if (!json.ok()) {
    return MakeError(kKind, json.status().code(), Message(json.status()));
  }
  auto manifest = ParseManifest(*json);
  if (!manifest.ok()) {
    return CheckpointError(path, ": ", Message(manifest.status()));
  }
  return manifest;
}

// The tensor of this name, if it is exactly what the manifest promised.
StatusOr<Tensor> Verified(const Safetensors& file,
                          const Manifest& manifest,
                          const std::string& name,
                          const Shape& shape,
                          const std::string& path) {
  const auto tensor = file.tensors.find(name);
  const auto hash = manifest.hashes.find(name);
  if (tensor == file.tensors.end() || hash == manifest.hashes.end()) {
    return CheckpointError(path,
                           ": no tensor \"",
                           name,
                           "\"; the checkpoint "
                           "is of another model or optimizer");
  }
  const Tensor& t = tensor->second;
  if (t.dtype() != DType::kF32 || !(t.shape() == shape)) {
    return CheckpointError(path,
                           ": \"",
                           name,
                           "\" is ",
                           t.dtype(),
                           " ",
                           t.shape(),
                           ", the model has f32 ",
                           shape);
  }
  if (Hash64(t.raw(), t.bytes()) != hash->second) {
    return CheckpointError(path,
                           ": \"",
                           name,
                           "\" is damaged: its hash is "
                           "not the one in manifest.json; resume from an "
                           "older checkpoint");
  }
  return t;
}

bool AllFinite(std::span<const float> values) {
  return CountNonFinite(values.data(), values.size()) == 0;
}

// The bank's tensors, and their hashes by name.
Status WriteBank(const TrainStep& step,
                 const SavedState& state,
                 const std::string& path,
                 Json& hashes) {
  Safetensors file;
  file.metadata["next_step"] = std::to_string(state.next_step);
  GYRE_RETURN_IF_ERROR(ForEachTensor(
      step,
      state.bank.all(),
      [&](const std::string& name,
          const optim::TensorSlot& slot,
          std::span<const float> values) {
        file.tensors[name] = Tensor::From<float>(slot.shape, values);
        hashes.Set(name, HexHash(Hash64(values.data(), values.size_bytes())));
        return OkStatus();
      }));
  return WriteSafetensors(path, file, kKind);
}

}  // namespace

StatusOr<Json> WriteState(const TrainStep& step,
                          const SavedState& state,
                          const std::string& folder) {
  if (step.mesh().rank() != 0) return Json();
  const bool unguarded = step.optimizer().guard().unguarded();
  GYRE_RETURN_IF_ERROR(CreateDirectories(folder, kKind));
  Json hashes = Json::Object();
  GYRE_RETURN_IF_ERROR(
      WriteBank(step, state, folder + "/" + kStateFile, hashes));
  Json manifest = Json::Object();
  manifest.Set("format", kFormat)
      .Set("next_step", state.next_step)
      .Set("good", AllFinite(state.bank.all()) && !unguarded)
      .Set("unguarded", unguarded)
      .Set("optimizer", step.optimizer().Describe())
      .Set("mesh", step.mesh().Describe())
      .Set("fingerprint", HexHash(step.plan().Fingerprint()))
      .Set("counters", GuardStateJson(state.guard))
      .Set("files", Json::Array({kStateFile}))
      .Set("hashes", std::move(hashes));
  return manifest;
}

StatusOr<CheckpointInfo> SaveCheckpoint(const TrainStep& step,
                                        const RunDirectory& run) {
  CheckpointInfo info;
  info.path = run.checkpoint(step.next_step());
  GYRE_ASSIGN_OR_RETURN(
      Json manifest,
      WriteState(step,
                 {step.bank(), step.guard_state(), step.next_step()},
                 info.path));
  GYRE_ASSIGN_OR_RETURN(info.good, manifest.GetBool("good"));
  manifest.Set("params_hash", HexHash(step.ParamsHash()));
  GYRE_RETURN_IF_ERROR(WriteFileAtomically(
      info.path + "/manifest.json", manifest.Pretty(), kKind));
  const std::string target = StepName(step.next_step());
  GYRE_RETURN_IF_ERROR(
      ReplaceSymlink(run.checkpoints() + "/latest", target, kKind));
  if (info.good) {
    GYRE_RETURN_IF_ERROR(
        ReplaceSymlink(run.checkpoints() + "/last-good", target, kKind));
  }
  return info;
}

Status LoadCheckpoint(const std::string& path, TrainStep& step) {
  GYRE_ASSIGN_OR_RETURN(const auto replay, ReplayRequest::FromEnvironment());
  if (replay.has_value()) return OkStatus();  // the kept state takes its place
  GYRE_ASSIGN_OR_RETURN(const std::string folder, Locate(path));
  return ReadState(folder, step);
}

Status ReadState(const std::string& folder, TrainStep& step) {
  GYRE_ASSIGN_OR_RETURN(const Manifest manifest, ReadManifest(folder));
  if (manifest.optimizer != step.optimizer().Describe() &&
      step.mesh().rank() == 0) {
    LogWarning(folder,
               " was written with other optimizer settings; from here "
               "on this run's hold.\n  then: ",
               manifest.optimizer,
               "\n  now:  ",
               step.optimizer().Describe());
  }
  GYRE_ASSIGN_OR_RETURN(const Safetensors file,
                        ReadSafetensors(folder + "/" + kStateFile, kKind));
  std::vector<float> all(step.bank().all().size(), 0.0f);
  GYRE_RETURN_IF_ERROR(
      ForEachTensor(step,
                    std::span(all),
                    [&](const std::string& name,
                        const optim::TensorSlot& slot,
                        std::span<float> values) -> Status {
                      GYRE_ASSIGN_OR_RETURN(
                          const Tensor tensor,
                          Verified(file, manifest, name, slot.shape, folder));
                      std::memcpy(values.data(), tensor.raw(), tensor.bytes());
                      return OkStatus();
                    }));
  return step.Restore(all, manifest.guard, manifest.next_step);
}

}  // namespace gyre
