#include "gyre/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace gyre::internal {

using namespace internal;

void CheckFailed(const char* condition,
                 const char* file,
                 int line,
                 const std::string& message) {
  std::fprintf(stderr,
               "%s:%d: internal error, please report: %s does not hold%s%s\n",
               file,
               line,
               condition,
               message.empty() ? "" : ": ",
               message.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace gyre::internal
