// Where in the user's program something was written.

#ifndef GYRE_CORE_SOURCE_LOC_H_
#define GYRE_CORE_SOURCE_LOC_H_

#include <ostream>
#include <string>
#include <string_view>

#include "gyre/core/status.h"

namespace gyre {

// Two words, cheap to copy; `file` points to a string that lives as long as
// the program. std::source_location is missing in clang 14.
struct SourceLoc {
  const char* file = "";
  int line = 0;

  static constexpr SourceLoc Current(const char* file = __builtin_FILE(),
                                     int line = __builtin_LINE()) {
    return {file, line};
  }

  // The file's name without its folders: what a message shows.
  std::string_view Basename() const {
    const std::string_view path(file);
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
  }
  std::string ToString() const { return Cat(Basename(), ":", line); }

  friend std::ostream& operator<<(std::ostream& out, const SourceLoc& loc) {
    return out << loc.Basename() << ":" << loc.line;
  }
};

}  // namespace gyre

#endif  // GYRE_CORE_SOURCE_LOC_H_
