// What is in a scientific file, as a person wants to see it, and what Gyre
// would do with it.
//
//   GYRE_ASSIGN_OR_RETURN(const Json found, InspectFile("era5.nc"));
//   std::cout << FileInWords(found);
//
// {"file", "format", "title", "axes": [{"name", "kind", "size", "first",
// "last", "step", "calendar", "note"}], "variables": [{"name", "dims", "type",
// "storage", "units", "valid", "missing", "outside_range", "undeclared_nan",
// "min", "mean", "max", "empty_times", "notes", "refused"}]}
//
// All numbers are read, in parts of 64 MB.

#ifndef GYRE_DATA_CF_INSPECT_FILE_H_
#define GYRE_DATA_CF_INSPECT_FILE_H_

#include <string>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline data {

// What would be refused is said beside its axis or variable ("refused"); an
// error is a file that cannot be opened.
StatusOr<Json> InspectFile(const std::string& path);

std::string FileInWords(const Json& inspected);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_CF_INSPECT_FILE_H_
