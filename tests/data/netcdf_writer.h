// Writes small NetCDF files for the tests.
//
//   NetcdfWriter file(dir / "a.cdf");
//   file.Dimension("x", 3);
//   file.Variable("p", NC_FLOAT, {"x"});
//   file.Attribute("p", "_FillValue", NC_FLOAT, {-9999});
//   file.Put("p", {1, 2, -9999});
//
// The file is complete when the writer goes.

#ifndef GYRE_TESTS_DATA_NETCDF_WRITER_H_
#define GYRE_TESTS_DATA_NETCDF_WRITER_H_

#include <netcdf.h>

#include <string>
#include <vector>

#include "gyre/core/check.h"

namespace gyre::internal::inline tests {
class NetcdfWriter {
 public:
  // `mode`: 0 classic, NC_64BIT_OFFSET, NC_64BIT_DATA or NC_NETCDF4.
  explicit NetcdfWriter(const std::string& path, int mode = 0) {
    Must(nc_create(path.c_str(), mode | NC_CLOBBER, &file_));
  }
  NetcdfWriter(const NetcdfWriter&) = delete;
  NetcdfWriter& operator=(const NetcdfWriter&) = delete;
  ~NetcdfWriter() { Must(nc_close(file_)); }

  void Dimension(const std::string& name, std::size_t length) {
    int id = 0;
    Must(nc_def_dim(file_, name.c_str(), length, &id));
  }
  void Variable(const std::string& name,
                nc_type type,
                const std::vector<std::string>& dimensions) {
    std::vector<int> ids(dimensions.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Must(nc_inq_dimid(file_, dimensions[i].c_str(), &ids[i]));
    }
    int id = 0;
    Must(nc_def_var(file_,
                    name.c_str(),
                    type,
                    static_cast<int>(ids.size()),
                    ids.data(),
                    &id));
  }
  void Attribute(const std::string& variable,
                 const std::string& name,
                 nc_type type,
                 const std::vector<double>& numbers) {
    Must(nc_put_att_double(file_,
                           Id(variable),
                           name.c_str(),
                           type,
                           numbers.size(),
                           numbers.data()));
  }
  // As NetCDF-4 has it: a string, not characters.
  void StringAttribute(const std::string& variable,
                       const std::string& name,
                       const std::string& text) {
    const char* strings[] = {text.c_str()};
    Must(nc_put_att_string(file_, Id(variable), name.c_str(), 1, strings));
  }
  void Endian(const std::string& variable, int endian) {
    Must(nc_def_var_endian(file_, Id(variable), endian));
  }
  void Deflate(const std::string& variable,
               const std::vector<std::size_t>& chunks) {
    Must(nc_def_var_chunking(file_, Id(variable), NC_CHUNKED, chunks.data()));
    Must(nc_def_var_deflate(file_, Id(variable), 1, 1, 4));
  }
  void TextAttribute(const std::string& variable,
                     const std::string& name,
                     const std::string& text) {
    Must(nc_put_att_text(
        file_, Id(variable), name.c_str(), text.size(), text.data()));
  }
  void NoFill(const std::string& variable) {
    Must(nc_def_var_fill(file_, Id(variable), NC_NOFILL, nullptr));
  }
  // The packed values of the whole variable. With this the header is done.
  void Put(const std::string& variable, const std::vector<double>& values) {
    EndDefinitions();
    Must(nc_put_var_double(file_, Id(variable), values.data()));
  }
  // The first values of a variable over dimensions that may grow.
  void PutPart(const std::string& variable,
               const std::vector<std::size_t>& counts,
               const std::vector<double>& values) {
    EndDefinitions();
    const std::vector<std::size_t> starts(counts.size(), 0);
    Must(nc_put_vara_double(
        file_, Id(variable), starts.data(), counts.data(), values.data()));
  }
  void PutText(const std::string& variable, const std::string& text) {
    EndDefinitions();
    Must(nc_put_var_text(file_, Id(variable), text.data()));
  }

 private:
  static void Must(int code) {
    GYRE_CHECK(code == NC_NOERR, nc_strerror(code));
  }
  int Id(const std::string& variable) const {
    int id = 0;
    Must(nc_inq_varid(file_, variable.c_str(), &id));
    return id;
  }
  void EndDefinitions() {
    if (defining_) Must(nc_enddef(file_));
    defining_ = false;
  }

  int file_ = -1;
  bool defining_ = true;
};

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_DATA_NETCDF_WRITER_H_
