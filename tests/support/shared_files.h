// What lies in shared memory, for tests that nothing is left there.

#ifndef GYRE_TESTS_SUPPORT_SHARED_FILES_H_
#define GYRE_TESTS_SUPPORT_SHARED_FILES_H_

#include <filesystem>
#include <set>
#include <string>
#include <system_error>

namespace gyre::internal::inline tests {

// The names in /dev/shm, but for the segments of Open MPI: other tests may
// run it at the same time.
inline std::set<std::string> SharedFiles() {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& file :
       std::filesystem::directory_iterator("/dev/shm", error)) {
    const std::string name = file.path().filename().string();
    if (name.rfind("vader_segment.", 0) != 0) names.insert(name);
  }
  return names;
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_SHARED_FILES_H_
