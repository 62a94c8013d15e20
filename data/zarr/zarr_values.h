// Types, fill values and attributes in a Zarr store's JSON. Internal to the
// readers of its metadata.

#ifndef GYRE_DATA_ZARR_ZARR_VALUES_H_
#define GYRE_DATA_ZARR_ZARR_VALUES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/data/file/science_file.h"

namespace gyre::internal::inline data {

// "<f4", ">i2", "|u1"; kOther for what is no number.
StoredType TypeOfZarr2(const std::string& dtype, bool* big_endian);
// "float32"
StoredType TypeOfZarr3(const std::string& data_type);

// A fill value in the array's type; empty for null. Errors: it does not fit.
StatusOr<std::vector<std::byte>> ZarrFill(const Json& fill, StoredType type);

// The attribute `name` with these numbers, in `type` if it holds them exactly.
FileAttribute NumberAttribute(const std::string& name,
                              const std::vector<double>& numbers,
                              StoredType type);

// The numbers of the attributes that CF compares with stored values become of
// the array's type, which JSON has no word for. xarray writes a _FillValue of
// floats in base64 into version 3: that is decoded.
void GiveStoredTypes(VariableInfo* info);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_ZARR_ZARR_VALUES_H_
