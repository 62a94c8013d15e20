// Lines for people, on standard error.

#ifndef GYRE_CORE_LOG_H_
#define GYRE_CORE_LOG_H_

#include <string_view>

#include "gyre/core/status.h"

namespace gyre::internal::inline core {

// One whole line in one write, so that lines of several ranks do not mix.
void LogLine(std::string_view text);

template <class... Parts>
void LogInfo(const Parts&... parts) {
  LogLine(Cat(parts...));
}
template <class... Parts>
void LogWarning(const Parts&... parts) {
  LogLine(Cat("warning: ", parts...));
}
template <class... Parts>
void LogError(const Parts&... parts) {
  LogLine(Cat("error: ", parts...));
}

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_LOG_H_
