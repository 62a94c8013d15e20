#include "gyre/core/log.h"

#include <unistd.h>

#include <string>

namespace gyre::internal::inline core {

void LogLine(std::string_view text) {
  std::string line(text);
  line += '\n';
  // A log that cannot be written has nobody to be told.
  [[maybe_unused]] const ssize_t n =
      ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace gyre::internal::inline core
