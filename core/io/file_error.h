// How the files of core/io word a failure of the system. Internal to them.

#ifndef GYRE_CORE_IO_FILE_ERROR_H_
#define GYRE_CORE_IO_FILE_ERROR_H_

#include <string>
#include <string_view>

#include "gyre/core/status.h"

namespace gyre::internal::inline core {

// "cannot <action> <path>: <strerror>: <what to do>"
Status SystemError(ErrorKind kind,
                   std::string_view action,
                   const std::string& path,
                   int error_number);

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_IO_FILE_ERROR_H_
