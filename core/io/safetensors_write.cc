#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/core/io/safetensors.h"
#include "gyre/core/io/safetensors_dtype.h"

namespace gyre::internal::inline core {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian, and so is every host of Gyre");

using NamedTensor = std::pair<const std::string, Tensor>;

std::string_view FormatName(DType dtype) {
  for (const auto& [ours, name] : internal::kSafetensorsDTypes) {
    if (ours == dtype) return name;
  }
  return "";
}

// In the order in which the data lies in the file.
std::vector<const NamedTensor*> FileOrder(const Safetensors& file) {
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& entry : file.tensors) order.push_back(&entry);
  std::stable_sort(order.begin(),
                   order.end(),
                   [](const NamedTensor* a, const NamedTensor* b) {
                     return SizeOf(a->second.dtype()) >
                            SizeOf(b->second.dtype());
                   });
  return order;
}

std::string Header(const Safetensors& file,
                   const std::vector<const NamedTensor*>& order) {
  Json header = Json::Object();
  if (!file.metadata.empty()) {
    Json metadata = Json::Object();
    for (const auto& [key, value] : file.metadata) metadata.Set(key, value);
    header.Set(internal::kMetadataKey, std::move(metadata));
  }
  std::size_t offset = 0;
  for (const NamedTensor* entry : order) {
    const Tensor& tensor = entry->second;
    header.Set(
        entry->first,
        Json::Object({{"dtype", FormatName(tensor.dtype())},
                      {"shape", Json::ArrayOf(tensor.shape().dims())},
                      {"data_offsets",
                       Json::Array({offset, offset + tensor.bytes()})}}));
    offset += tensor.bytes();
  }
  std::string text = header.Dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

// The header's length and the header. What cannot be read back (a string
// that is no UTF-8 comes back changed) is refused here.
StatusOr<std::string> Prefix(const Safetensors& file,
                             const std::vector<const NamedTensor*>& order,
                             ErrorKind kind) {
  if (file.tensors.count(std::string(internal::kMetadataKey)) > 0) {
    return ErrorOfKind(kind, "no tensor may be called \"__metadata__\"");
  }
  const std::string header = Header(file, order);
  GYRE_ASSIGN_OR_RETURN(const Json back, Json::Parse(header));
  for (const NamedTensor* entry : order) {
    if (back.Find(entry->first) == nullptr) {
      return ErrorOfKind(kind, "the name of a tensor is not UTF-8: rename it");
    }
  }
  if (!file.metadata.empty()) {
    const Json* metadata = back.Find(internal::kMetadataKey);
    for (const auto& [key, value] : file.metadata) {
      const Json* found = metadata->Find(key);
      if (found == nullptr || *found != Json(value)) {
        return ErrorOfKind(
            kind, Cat("metadata \"", key, "\" is not UTF-8: encode it"));
      }
    }
  }
  std::string prefix(8, '\0');
  std::uint64_t length = header.size();
  for (char& byte : prefix) {
    byte = static_cast<char>(length & 0xff);
    length >>= 8;
  }
  return prefix + header;
}

std::vector<std::string_view> Parts(
    const std::string& prefix, const std::vector<const NamedTensor*>& order) {
  std::vector<std::string_view> parts = {prefix};
  for (const NamedTensor* entry : order) {
    parts.emplace_back(reinterpret_cast<const char*>(entry->second.raw()),
                       entry->second.bytes());
  }
  return parts;
}

}  // namespace

Status WriteSafetensors(const std::string& path,
                        const Safetensors& file,
                        ErrorKind kind) {
  const std::vector<const NamedTensor*> order = FileOrder(file);
  StatusOr<std::string> prefix = Prefix(file, order, kind);
  if (!prefix.ok()) return Annotate(prefix.status(), Cat(path, ": "));
  return WriteFileAtomically(path, Parts(*prefix, order), kind);
}

StatusOr<std::string> SerializeSafetensors(const Safetensors& file,
                                           ErrorKind kind) {
  const std::vector<const NamedTensor*> order = FileOrder(file);
  GYRE_ASSIGN_OR_RETURN(const std::string prefix, Prefix(file, order, kind));
  std::string bytes;
  for (const std::string_view part : Parts(prefix, order)) bytes += part;
  return bytes;
}

}  // namespace gyre::internal::inline core
