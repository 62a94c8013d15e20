#include "gyre/train/replay/evidence.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "gyre/core/hash.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/safetensors.h"
#include "gyre/train/checkpoint/checkpoint_files.h"

namespace gyre::internal::inline train {
namespace {

std::string RankName(int rank) {
  char text[16];
  std::snprintf(text, sizeof text, "%05d", rank);
  return text;
}

std::string TensorName(int rank, const std::string& name) {
  return Cat("batch/", RankName(rank), "/", name);
}

StatusOr<std::vector<std::string>> Texts(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& element : list.elements()) {
    GYRE_ASSIGN_OR_RETURN(texts.emplace_back(), element.AsString());
  }
  return texts;
}

StatusOr<const Json*> Member(const Json& json, const char* key) {
  const Json* member = json.Find(key);
  if (member == nullptr) return CheckpointError("no \"", key, "\"");
  return member;
}

StatusOr<EvidenceStart> StartFrom(const Json& json) {
  EvidenceStart out;
  GYRE_ASSIGN_OR_RETURN(out.start.program, json.GetString("program_path"));
  GYRE_ASSIGN_OR_RETURN(out.start.directory, json.GetString("directory"));
  GYRE_ASSIGN_OR_RETURN(out.identity.build, json.GetString("build"));
  GYRE_ASSIGN_OR_RETURN(out.identity.isa, json.GetString("isa"));
  GYRE_ASSIGN_OR_RETURN(const Json* arguments, Member(json, "arguments"));
  GYRE_ASSIGN_OR_RETURN(out.start.arguments, Texts(*arguments));
  GYRE_ASSIGN_OR_RETURN(const Json* environment, Member(json, "environment"));
  for (const auto& [name, value] : environment->members()) {
    GYRE_ASSIGN_OR_RETURN(std::string text, value.AsString());
    out.environment.emplace_back(name, std::move(text));
  }
  return out;
}

StatusOr<Evidence> FromManifest(const std::string& folder, Json manifest) {
  Evidence evidence;
  evidence.folder = folder;
  GYRE_ASSIGN_OR_RETURN(evidence.step, manifest.GetInt("step"));
  GYRE_ASSIGN_OR_RETURN(const std::int64_t world, manifest.GetInt("world"));
  if (world < 1 || world > (1 << 16)) {
    return CheckpointError("a world of ", world, " ranks");
  }
  evidence.world = static_cast<int>(world);
  GYRE_ASSIGN_OR_RETURN(const Json* start, Member(manifest, "started"));
  GYRE_ASSIGN_OR_RETURN(evidence.start, StartFrom(*start));
  GYRE_ASSIGN_OR_RETURN(const Json* result, Member(manifest, "result"));
  evidence.result = *result;
  GYRE_RETURN_IF_ERROR(Member(manifest, "hashes").status());
  GYRE_ASSIGN_OR_RETURN(const Json* batches, Member(manifest, "batches"));
  if (static_cast<std::int64_t>(batches->elements().size()) != world) {
    return CheckpointError(
        batches->elements().size(), " batches for ", world, " ranks");
  }
  evidence.manifest = std::move(manifest);
  return evidence;
}

// One rank's batch, verified.
StatusOr<SampleBatch> ReadOne(const Evidence& evidence, int rank) {
  const Json& entry = evidence.manifest.Find("batches")->elements()[rank];
  const Json& hashes = *evidence.manifest.Find("hashes");
  GYRE_ASSIGN_OR_RETURN(const std::string name, entry.GetString("file"));
  if (name.find('/') != std::string::npos) {
    return CheckpointError("\"", name, "\" is no name of a file");
  }
  const std::string path = evidence.folder + "/" + name;
  GYRE_ASSIGN_OR_RETURN(const Safetensors file,
                        ReadSafetensors(path, kCheckpointError));
  const std::string prefix = TensorName(rank, "");
  SampleBatch batch;
  for (const auto& [key, tensor] : file.tensors) {
    const Json* hash = hashes.Find(key);
    if (key.rfind(prefix, 0) != 0 || hash == nullptr ||
        hash->AsString().value_or("") !=
            HexHash(Hash64(tensor.raw(), tensor.bytes()))) {
      return CheckpointError(path,
                             ": \"",
                             key,
                             "\" is damaged: its hash is not the one in "
                             "manifest.json; replay another step");
    }
    batch.tensors[key.substr(prefix.size())] = tensor;
  }
  GYRE_ASSIGN_OR_RETURN(const Json* ids, Member(entry, "sample_ids"));
  for (const Json& id : ids->elements()) {
    GYRE_ASSIGN_OR_RETURN(batch.sample_ids.emplace_back(), id.AsInt());
  }
  for (const auto& [key, hash] : hashes.members()) {
    const bool mine = key.rfind(prefix, 0) == 0;
    if (mine && batch.tensors.count(key.substr(prefix.size())) == 0) {
      return CheckpointError(path, ": \"", key, "\" is missing");
    }
  }
  return batch;
}

bool SameBits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

bool SameNames(const SampleBatch& a, const SampleBatch& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.first == y.first;
  };
  return std::equal(a.tensors.begin(),
                    a.tensors.end(),
                    b.tensors.begin(),
                    b.tensors.end(),
                    same);
}

// Along the first axis, if that is the axis of the samples.
StatusOr<Tensor> Join(const std::string& name,
                      const std::vector<SampleBatch>& parts) {
  const Tensor& first = parts[0].tensors.at(name);
  const auto samples = static_cast<std::int64_t>(parts[0].sample_ids.size());
  if (first.shape().rank() == 0 || first.shape()[0] != samples) {
    for (const SampleBatch& part : parts) {
      if (SameBits(first, part.tensors.at(name))) continue;
      return ConfigError(
          "batch tensor \"",
          name,
          "\" ",
          first.shape(),
          " has no axis of the ",
          samples,
          " samples, and differs from rank to rank: the batches of several "
          "ranks cannot be joined to one");
    }
    return first;
  }
  std::vector<std::int64_t> dims = first.shape().dims();
  std::size_t bytes = 0;
  dims[0] = 0;
  for (const SampleBatch& part : parts) {
    const Tensor& tensor = part.tensors.at(name);
    dims[0] += tensor.shape()[0];
    bytes += tensor.bytes();
  }
  Tensor whole(first.dtype(), Shape(std::move(dims)));
  if (whole.bytes() != bytes) {
    return ConfigError(
        "batch tensor \"", name, "\" has another shape on another rank");
  }
  std::size_t offset = 0;
  for (const SampleBatch& part : parts) {
    const Tensor& tensor = part.tensors.at(name);
    std::memcpy(whole.raw() + offset, tensor.raw(), tensor.bytes());
    offset += tensor.bytes();
  }
  return whole;
}

// Whether a rank's batch is one that another rank had, too, as ranks do that
// share a batch. Error: the same samples, but other parts of them.
StatusOr<bool> IsRepeated(const SampleBatch& batch,
                          int rank,
                          const std::vector<SampleBatch>& parts) {
  for (const SampleBatch& part : parts) {
    if (part.sample_ids != batch.sample_ids) continue;
    for (const auto& [name, tensor] : batch.tensors) {
      if (SameBits(tensor, part.tensors.at(name))) continue;
      return ConfigError("rank ",
                         rank,
                         " holds another part of the same samples as a rank "
                         "before it (batch tensor \"",
                         name,
                         "\"): such batches cannot be joined to one");
    }
    return true;
  }
  return false;
}

StatusOr<SampleBatch> ReadAll(const Evidence& evidence) {
  std::vector<SampleBatch> parts;
  SampleBatch whole;
  for (int rank = 0; rank < evidence.world; ++rank) {
    GYRE_ASSIGN_OR_RETURN(SampleBatch part, ReadOne(evidence, rank));
    if (!parts.empty() && !SameNames(part, parts[0])) {
      return CheckpointError("rank ", rank, " has other batch tensors");
    }
    GYRE_ASSIGN_OR_RETURN(const bool repeated, IsRepeated(part, rank, parts));
    if (repeated) continue;
    whole.sample_ids.insert(
        whole.sample_ids.end(), part.sample_ids.begin(), part.sample_ids.end());
    parts.push_back(std::move(part));
  }
  for (const auto& [name, tensor] : parts[0].tensors) {
    GYRE_ASSIGN_OR_RETURN(whole.tensors[name], Join(name, parts));
  }
  return whole;
}

}  // namespace

StatusOr<EvidenceStart> ReadEvidenceStart(const RunContext& context) {
  EvidenceStart start;
  GYRE_ASSIGN_OR_RETURN(start.start, ReadProgramStart());
  start.identity = ReadProgramIdentity();
  start.environment = context.variables;
  return start;
}

Json ToJson(const EvidenceStart& start) {
  Json environment = Json::Object();
  for (const auto& [name, value] : start.environment) {
    environment.Set(name, value);
  }
  return Json::Object({{"program_path", start.start.program},
                       {"arguments", Json::ArrayOf(start.start.arguments)},
                       {"directory", start.start.directory},
                       {"build", start.identity.build},
                       {"isa", start.identity.isa},
                       {"environment", std::move(environment)}});
}

StatusOr<Evidence> ReadEvidence(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  GYRE_ASSIGN_OR_RETURN(const std::string text,
                        ReadFile(path, kCheckpointError));
  auto json = Json::Parse(text, path);
  if (!json.ok()) return CheckpointError(Message(json.status()));
  auto evidence = FromManifest(folder, *std::move(json));
  if (!evidence.ok()) {
    return CheckpointError(
        path, " is not that of a kept step: ", Message(evidence.status()));
  }
  return evidence;
}

StatusOr<Json> WriteBatch(const std::string& folder,
                          std::int64_t step,
                          int rank,
                          const SampleBatch& batch,
                          const BatchSource& source) {
  Safetensors file;
  Json hashes = Json::Object();
  for (const auto& [name, tensor] : batch.tensors) {
    const std::string full = TensorName(rank, name);
    file.tensors[full] = tensor;
    hashes.Set(full, HexHash(Hash64(tensor.raw(), tensor.bytes())));
  }
  Json names = Json::Array();
  std::string ids;
  for (const std::int64_t id : batch.sample_ids) {
    names.Append(source.SampleName(id));
    ids += Cat(ids.empty() ? "" : ",", id);
  }
  file.metadata = {{"step", std::to_string(step)},
                   {"rank", std::to_string(rank)},
                   {"sample_ids", ids}};
  const std::string name = Cat("batch-", RankName(rank), ".safetensors");
  GYRE_RETURN_IF_ERROR(CreateDirectories(folder, kCheckpointError));
  GYRE_RETURN_IF_ERROR(
      WriteSafetensors(folder + "/" + name, file, kCheckpointError));
  return Json::Object({{"rank", rank},
                       {"file", name},
                       {"sample_ids", Json::ArrayOf(batch.sample_ids)},
                       {"sample_names", std::move(names)},
                       {"hashes", std::move(hashes)}});
}

StatusOr<SampleBatch> ReadBatch(const Evidence& evidence, int rank, int ranks) {
  if (ranks == evidence.world) return ReadOne(evidence, rank);
  if (ranks == 1) return ReadAll(evidence);
  return ConfigError("step ",
                     evidence.step,
                     " was kept of ",
                     evidence.world,
                     " ranks; it can be run on as many, or on one, not on ",
                     ranks);
}

}  // namespace gyre::internal::inline train
