// Reads NetCDF files through libnetcdf's C API, with what is missing as an
// explicit mask.
//
//   GYRE_ASSIGN_OR_RETURN(const NetcdfFile file, NetcdfFile::Open(path));
//   GYRE_ASSIGN_OR_RETURN(const MaskedField p, file.ReadMasked("p"));
//
// What is missing, by the CF conventions:
//   - a packed value equal to _FillValue or missing_value, compared in the
//     packed type, before scale_factor and add_offset;
//   - NaN, always;
//   - with neither attribute, the default fill value of the type, unless the
//     file was written without filling; bytes have none.
//
// Every error is a data error that names file and variable.
//
// libnetcdf is not thread-safe. Ranks may be threads of one process, so calls
// into it wait for each other here.
//
// WARNING 1: a folder is refused. libnetcdf 4.9 opens a compressed Zarr store
// and returns garbage without an error.

#ifndef GYRE_APPS_WEATHER_LOSS_NETCDF_H_
#define GYRE_APPS_WEATHER_LOSS_NETCDF_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/core/tensor.h"

namespace gyre::weather {

struct MaskedField {
  Tensor values;  // f32; 0 where missing
  Tensor mask;    // u8; 1 valid, 0 missing
};

class NetcdfFile {
 public:
  static StatusOr<NetcdfFile> Open(const std::string& path);
  NetcdfFile(NetcdfFile&& other) noexcept
      : id_(std::exchange(other.id_, -1)), path_(std::move(other.path_)) {}
  NetcdfFile& operator=(NetcdfFile&&) = delete;
  ~NetcdfFile();

  const std::string& path() const { return path_; }

  bool HasVariable(const std::string& name) const;
  // Names of a variable's dimensions, slowest first.
  StatusOr<std::vector<std::string>> DimensionNames(
      const std::string& variable) const;
  StatusOr<Shape> VariableShape(const std::string& variable) const;

  // Any numeric type. An infinite value that is not masked is an error.
  StatusOr<MaskedField> ReadMasked(const std::string& variable) const;

  // A coordinate: a variable that may have no missing value.
  StatusOr<std::vector<double>> ReadCoordinate(
      const std::string& variable) const;

  // A char variable; zero bytes and blanks at its end are cut off.
  StatusOr<std::string> ReadText(const std::string& variable) const;

  // A text attribute of a variable; nothing if there is none.
  StatusOr<std::optional<std::string>> TextAttribute(
      const std::string& variable, const std::string& attribute) const;

 private:
  NetcdfFile(int id, std::string path) : id_(id), path_(std::move(path)) {}
  StatusOr<int> VariableId(const std::string& name) const;

  int id_ = -1;
  std::string path_;
};

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_NETCDF_H_
