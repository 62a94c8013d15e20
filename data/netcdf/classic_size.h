// How long a classic NetCDF file must be.
//
// libnetcdf reads beyond the end of a classic file without an error and
// returns zeros, so a file that was cut short would train on zeros. Its
// header says where each variable lies, and so how long the file must be.
//
// Source: "NetCDF classic format specification" (CDF-1, CDF-2, CDF-5).

#ifndef GYRE_DATA_NETCDF_CLASSIC_SIZE_H_
#define GYRE_DATA_NETCDF_CLASSIC_SIZE_H_

#include <string>

#include "gyre/core/status.h"

namespace gyre::internal::inline data {

// OK for a file of another format (HDF5 checks itself). Errors: the file
// cannot be read, its header is damaged or cut short, or the file is shorter
// than its header says.
Status CheckClassicSize(const std::string& path);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_NETCDF_CLASSIC_SIZE_H_
