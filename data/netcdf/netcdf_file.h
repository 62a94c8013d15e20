// NetCDF files of every kind (classic, 64-bit offset, CDF-5, NetCDF-4) through
// libnetcdf's C API.
//
//   GYRE_ASSIGN_OR_RETURN(const auto file, OpenNetcdf("era5.nc"));
//
// libnetcdf is not thread-safe: all calls into it wait for each other here,
// for the whole process.
//
// WARNING 1: a folder is refused. libnetcdf 4.9 opens a compressed Zarr store
// and returns garbage without an error.

#ifndef GYRE_DATA_NETCDF_NETCDF_FILE_H_
#define GYRE_DATA_NETCDF_NETCDF_FILE_H_

#include <memory>
#include <string>

#include "gyre/core/status.h"
#include "gyre/data/file/science_file.h"

namespace gyre::internal::inline data {

// The metadata is read at once, numbers when they are asked for.
StatusOr<std::unique_ptr<ScienceFile>> OpenNetcdf(const std::string& path);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_NETCDF_NETCDF_FILE_H_
