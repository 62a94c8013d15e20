#include "gyre/data/netcdf/library.h"

#include <netcdf.h>

#include <cerrno>
#include <string_view>

namespace gyre::internal::inline data {
namespace {

std::string_view Advice(int code) {
  switch (code) {
    case NC_ENOTNC:
      return "expected a NetCDF file; `ncdump -k FILE` shows what it is";
    case NC_ENOTVAR:
      return "`ncdump -h FILE` lists the variables";
    case NC_EACCESS:
    case EACCES:
      return "check the permissions";
    case NC_EFILTER:
    case NC_ENOFILTER:
      return "libnetcdf lacks the filter that it was packed with: write it "
             "with `nccopy -d 1`";
    case NC_EHDFERR:
      return "the file is damaged or cut short, or packed with a filter that "
             "is not here: get it again";
    default:
      return "get the file again, or check it with `ncdump`";
  }
}

}  // namespace

std::recursive_mutex& InNetcdf::Mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

Status NetcdfError(int code,
                   const std::string& path,
                   const std::string& variable) {
  return DataError(path,
                   variable.empty() ? "" : ": variable ",
                   variable,
                   ": ",
                   nc_strerror(code),
                   ": ",
                   Advice(code));
}

}  // namespace gyre::internal::inline data
