// GYRE_CHECK(condition, parts...): aborts on a fault of ours.
//
// WARNING 1: never for what a user can get wrong; that is a Status.

#ifndef GYRE_CORE_CHECK_H_
#define GYRE_CORE_CHECK_H_

#include <string>

#include "gyre/core/status.h"

namespace gyre::internal {

[[noreturn]] void CheckFailed(const char* condition,
                              const char* file,
                              int line,
                              const std::string& message);

}  // namespace gyre::internal

#define GYRE_CHECK(condition, ...)                                   \
  do {                                                               \
    if (!(condition)) [[unlikely]] {                                 \
      ::gyre::internal::CheckFailed(                                 \
          #condition, __FILE__, __LINE__, ::gyre::Cat(__VA_ARGS__)); \
    }                                                                \
  } while (false)

#endif  // GYRE_CORE_CHECK_H_
