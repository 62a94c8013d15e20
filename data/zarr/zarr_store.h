// Zarr stores on a local disk, versions 2 and 3, with shards.
//
//   GYRE_ASSIGN_OR_RETURN(const auto store, OpenZarr("era5.zarr"));
//
// Version 2's fill_value is CF's _FillValue, as xarray has it; version 3's
// stands for chunks that are not there, and no more.
//
// WARNING 1: consolidated metadata are not looked at: each array has its own.

#ifndef GYRE_DATA_ZARR_ZARR_STORE_H_
#define GYRE_DATA_ZARR_ZARR_STORE_H_

#include <memory>
#include <string>

#include "gyre/core/status.h"
#include "gyre/data/file/science_file.h"

namespace gyre::internal::inline data {

bool IsZarr(const std::string& folder);

StatusOr<std::unique_ptr<ScienceFile>> OpenZarr(const std::string& folder);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_ZARR_ZARR_STORE_H_
