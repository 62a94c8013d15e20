#include "gyre/data/netcdf/netcdf_file.h"

#include <netcdf.h>

#include <map>
#include <utility>

#include "gyre/core/io/file.h"
#include "gyre/data/netcdf/classic_size.h"
#include "gyre/data/netcdf/library.h"
#include "gyre/data/netcdf/netcdf_types.h"

namespace gyre::internal::inline data {
namespace {

class NetcdfFile final : public ScienceFile {
 public:
  NetcdfFile(int id, const std::string& path) : id_(id) { path_ = path; }
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;
  ~NetcdfFile() override {
    const InNetcdf lock;
    nc_close(id_);
  }

  // Reads the metadata of all groups.
  Status ReadMetadata() {
    const InNetcdf lock;
    int format = 0;
    if (const int code = nc_inq_format(id_, &format)) return Error(code);
    format_ = FormatName(format);
    GYRE_ASSIGN_OR_RETURN(attributes_, ReadAttributes(path_, id_, NC_GLOBAL));
    return ReadGroup(id_, "", 0);
  }

  Status ReadRaw(const VariableInfo& variable,
                 std::span<const std::size_t> start,
                 std::span<const std::size_t> count,
                 std::byte* out) const override {
    const auto place = places_.find(variable.name);
    if (place == places_.end() || SizeOf(variable.type) == 0) {
      return DataError(path_,
                       ": variable ",
                       variable.name,
                       ": expected numbers, got ",
                       variable.type);
    }
    for (const std::size_t n : count) {
      if (n == 0) return OkStatus();
    }
    const InNetcdf lock;
    // The type in memory is the type in the file: nothing is converted.
    const int code = nc_get_vara(place->second.first,
                                 place->second.second,
                                 start.data(),
                                 count.data(),
                                 out);
    return code == NC_NOERR ? OkStatus()
                            : NetcdfError(code, path_, variable.name);
  }

 private:
  static constexpr int kDeepest = 16;

  Status Error(int code) const { return NetcdfError(code, path_); }

  Status ReadGroup(int group, const std::string& prefix, int depth) {
    if (depth > kDeepest) {
      return DataError(path_, ": groups nest deeper than ", kDeepest);
    }
    int count = 0;
    if (const int code = nc_inq_nvars(group, &count)) return Error(code);
    for (int id = 0; id < count; ++id) {
      GYRE_ASSIGN_OR_RETURN(VariableInfo info,
                            ReadVariableInfo(path_, group, id));
      info.name = prefix + info.name;
      places_[info.name] = {group, id};
      variables_.push_back(std::move(info));
    }
    int groups = 0;
    if (const int code = nc_inq_grps(group, &groups, nullptr)) {
      return code == NC_ENOTNC4 ? OkStatus() : Error(code);
    }
    std::vector<int> ids(static_cast<std::size_t>(groups));
    if (groups > 0) nc_inq_grps(group, nullptr, ids.data());
    for (const int id : ids) {
      char name[NC_MAX_NAME + 1] = {};
      if (const int code = nc_inq_grpname(id, name)) return Error(code);
      GYRE_RETURN_IF_ERROR(ReadGroup(id, prefix + name + "/", depth + 1));
    }
    return OkStatus();
  }

  int id_;
  std::map<std::string, std::pair<int, int>> places_;  // group, variable
};

}  // namespace

StatusOr<std::unique_ptr<ScienceFile>> OpenNetcdf(const std::string& path) {
  if (!FileExists(path)) {
    return DataError("no file ", path, ": check the path");
  }
  if (DirectoryExists(path)) {
    return DataError(
        "expected a NetCDF file, ", path, " is a folder, and no Zarr store");
  }
  GYRE_RETURN_IF_ERROR(CheckClassicSize(path));
  const InNetcdf lock;
  int id = -1;
  if (const int code = nc_open(path.c_str(), NC_NOWRITE, &id)) {
    return NetcdfError(code, path);
  }
  auto file = std::make_unique<NetcdfFile>(id, path);
  GYRE_RETURN_IF_ERROR(file->ReadMetadata());
  return std::unique_ptr<ScienceFile>(std::move(file));
}

}  // namespace gyre::internal::inline data
