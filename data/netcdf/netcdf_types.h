// What libnetcdf says of variables and attributes, in our words. Internal to
// the NetCDF reader; the caller holds the lock.

#ifndef GYRE_DATA_NETCDF_NETCDF_TYPES_H_
#define GYRE_DATA_NETCDF_NETCDF_TYPES_H_

#include <string>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/data/file/science_file.h"

namespace gyre::internal::inline data {

std::string FormatName(int format);

// Of a variable, or of the group (NC_GLOBAL).
StatusOr<std::vector<FileAttribute>> ReadAttributes(const std::string& path,
                                                    int group,
                                                    int variable);

// Its name is that within the group.
StatusOr<VariableInfo> ReadVariableInfo(const std::string& path,
                                        int group,
                                        int variable);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_NETCDF_NETCDF_TYPES_H_
