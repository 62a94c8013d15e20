// Calls into libnetcdf: one thread at a time, and errors in words.

#ifndef GYRE_DATA_NETCDF_LIBRARY_H_
#define GYRE_DATA_NETCDF_LIBRARY_H_

#include <mutex>
#include <string>

#include "gyre/core/status.h"

namespace gyre::internal::inline data {

// One thread at a time in libnetcdf, which has state of its own for the whole
// process. Functions call each other: a thread may lock it again.
class InNetcdf {
 public:
  InNetcdf() : lock_(Mutex()) {}

 private:
  static std::recursive_mutex& Mutex();
  const std::lock_guard<std::recursive_mutex> lock_;
};

Status NetcdfError(int code,
                   const std::string& path,
                   const std::string& variable = "");

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_NETCDF_LIBRARY_H_
