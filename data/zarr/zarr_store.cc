#include "gyre/data/zarr/zarr_store.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gyre/core/io/file.h"
#include "gyre/data/zarr/chunk.h"
#include "gyre/data/zarr/zarr_array.h"

namespace gyre::internal::inline data {
namespace {

constexpr int kDeepestGroup = 16;

StatusOr<Json> ReadJsonFile(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  StatusOr<Json> json = Json::Parse(text, path);
  if (!json.ok()) return DataError(Message(json.status()));
  return json;
}

class ZarrStore final : public ScienceFile {
 public:
  explicit ZarrStore(const std::string& path) { path_ = path; }

  Status ReadMetadata() { return ReadFolder("", 0); }

  Status ReadRaw(const VariableInfo& variable,
                 std::span<const std::size_t> start,
                 std::span<const std::size_t> count,
                 std::byte* out) const override {
    const auto found = arrays_.find(variable.name);
    if (found == arrays_.end() || !IsNumber(variable.type)) {
      return DataError(path_,
                       ": variable ",
                       variable.name,
                       ": expected numbers, got ",
                       variable.type);
    }
    return ReadBlock(found->second, start, count, out);
  }

 private:
  // "name/" of a group, "" of the store.
  Status ReadFolder(const std::string& prefix, int depth) {
    const std::string folder = path_ + "/" + prefix;
    if (depth > kDeepestGroup) {
      return DataError(path_, ": groups nest deeper than ", kDeepestGroup);
    }
    if (FileExists(folder + "zarr.json")) {
      GYRE_ASSIGN_OR_RETURN(const Json json,
                            ReadJsonFile(folder + "zarr.json"));
      if (json.GetInt("zarr_format").value_or(0) != 3) {
        return DataError(folder, "zarr.json: expected zarr_format 3");
      }
      const std::string type = json.GetString("node_type").value_or("");
      if (type == "array") {
        return Add(prefix, ParseZarr3(NameOf(prefix), json));
      }
      SetRoot(depth, "Zarr 3", json.Find("attributes"));
      return ReadChildren(prefix, depth);
    }
    Json attributes = Json::Object();
    if (FileExists(folder + ".zattrs")) {
      GYRE_ASSIGN_OR_RETURN(attributes, ReadJsonFile(folder + ".zattrs"));
    }
    if (FileExists(folder + ".zarray")) {
      GYRE_ASSIGN_OR_RETURN(const Json json, ReadJsonFile(folder + ".zarray"));
      return Add(prefix, ParseZarr2(NameOf(prefix), json, attributes));
    }
    if (!FileExists(folder + ".zgroup")) return OkStatus();
    SetRoot(depth, "Zarr 2", &attributes);
    return ReadChildren(prefix, depth);
  }

  void SetRoot(int depth, const char* format, const Json* attributes) {
    if (depth > 0) return;
    format_ = format;
    if (attributes != nullptr) attributes_ = ZarrAttributes(*attributes);
  }

  Status ReadChildren(const std::string& prefix, int depth) {
    GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          ListDirectory(path_ + "/" + prefix));
    for (const std::string& name : names) {
      if (!DirectoryExists(path_ + "/" + prefix + name)) continue;
      GYRE_RETURN_IF_ERROR(ReadFolder(prefix + name + "/", depth + 1));
    }
    return OkStatus();
  }

  static std::string NameOf(const std::string& prefix) {
    return prefix.empty() ? "data" : prefix.substr(0, prefix.size() - 1);
  }

  Status Add(const std::string& prefix, StatusOr<ZarrArray> array) {
    if (!array.ok()) {
      return Annotate(array.status(),
                      Cat(path_, ": variable ", NameOf(prefix), ": "));
    }
    if (prefix.empty()) format_ = array->has_prefix ? "Zarr 3" : "Zarr 2";
    variables_.push_back(array->info);
    folders_[array->info.name] = path_ + "/" + prefix;
    arrays_.emplace(array->info.name, *std::move(array));
    return OkStatus();
  }

  std::string ChunkPath(const ZarrArray& array,
                        const std::vector<std::size_t>& at) const {
    std::string key = array.has_prefix ? "c" : "";
    for (const std::size_t i : at) {
      if (!key.empty()) key += array.separator;
      key += Cat(i);
    }
    if (key.empty()) key = "0";
    return folders_.at(array.info.name) + key;
  }

  StatusOr<std::vector<std::byte>> ReadChunk(
      const ZarrArray& array, const std::vector<std::size_t>& at) const {
    const std::size_t width = SizeOf(array.info.type);
    const std::string path = ChunkPath(array, at);
    if (!FileExists(path)) {
      if (array.fill.empty()) {
        return DataError(path, ": no such chunk, and no fill_value for it");
      }
      std::size_t elements = 1;
      for (const std::size_t extent : array.coding.chunk) elements *= extent;
      return FilledChunk(elements, width, array.fill);
    }
    GYRE_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
    auto numbers = DecodeChunk(bytes, array.coding, width, array.fill);
    if (!numbers.ok()) return Annotate(numbers.status(), path + ": ");
    return numbers;
  }

  // Chunk by chunk, as they meet the block.
  Status ReadBlock(const ZarrArray& array,
                   std::span<const std::size_t> start,
                   std::span<const std::size_t> count,
                   std::byte* out) const {
    const std::vector<std::size_t>& chunk = array.coding.chunk;
    const std::size_t rank = chunk.size();
    std::vector<std::size_t> first(rank), last(rank), at(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
      if (count[axis] == 0) return OkStatus();
      first[axis] = start[axis] / chunk[axis];
      last[axis] = (start[axis] + count[axis] - 1) / chunk[axis];
      at[axis] = first[axis];
    }
    for (;;) {
      GYRE_RETURN_IF_ERROR(CopyChunk(array, at, start, count, out));
      std::size_t axis = rank;
      while (axis > 0 && at[axis - 1] == last[axis - 1]) --axis;
      if (axis == 0) return OkStatus();
      ++at[axis - 1];
      for (std::size_t k = axis; k < rank; ++k) at[k] = first[k];
    }
  }

  Status CopyChunk(const ZarrArray& array,
                   const std::vector<std::size_t>& at,
                   std::span<const std::size_t> start,
                   std::span<const std::size_t> count,
                   std::byte* out) const {
    const std::vector<std::size_t>& chunk = array.coding.chunk;
    GYRE_ASSIGN_OR_RETURN(const std::vector<std::byte> numbers,
                          ReadChunk(array, at));
    std::vector<std::size_t> from, to, common;
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
      const std::size_t begin = at[axis] * chunk[axis];
      const std::size_t low = std::max(begin, start[axis]);
      const std::size_t high =
          std::min(begin + chunk[axis], start[axis] + count[axis]);
      from.push_back(low - begin);
      to.push_back(low - start[axis]);
      common.push_back(high - low);
    }
    CopyBlock(numbers.data(),
              chunk,
              from,
              out,
              count,
              to,
              common,
              SizeOf(array.info.type));
    return OkStatus();
  }

  std::map<std::string, ZarrArray> arrays_;
  std::map<std::string, std::string> folders_;
};

}  // namespace

bool IsZarr(const std::string& folder) {
  for (const char* name : {"/zarr.json", "/.zgroup", "/.zarray"}) {
    if (FileExists(folder + name)) return true;
  }
  return false;
}

StatusOr<std::unique_ptr<ScienceFile>> OpenZarr(const std::string& folder) {
  auto store = std::make_unique<ZarrStore>(folder);
  GYRE_RETURN_IF_ERROR(store->ReadMetadata());
  return std::unique_ptr<ScienceFile>(std::move(store));
}

}  // namespace gyre::internal::inline data
