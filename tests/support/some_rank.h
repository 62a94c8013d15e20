// A rank of a running launcher, to be signalled or killed.

#ifndef GYRE_TESTS_SUPPORT_SOME_RANK_H_
#define GYRE_TESTS_SUPPORT_SOME_RANK_H_

#include <sys/types.h>

#include <fstream>
#include <string>
#include <string_view>

#include "gyre/core/status.h"

namespace gyre::internal::inline tests {

// A child of `launcher` that runs `program`, or -1. Not just any child: the
// launcher has a watchdog beside its ranks.
inline pid_t SomeRank(pid_t launcher, std::string_view program) {
  std::ifstream children(
      Cat("/proc/", launcher, "/task/", launcher, "/children"));
  for (pid_t child = 0; children >> child;) {
    std::ifstream file(Cat("/proc/", child, "/comm"));
    std::string name;
    if (std::getline(file, name) && name == program) return child;
  }
  return -1;
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_SOME_RANK_H_
