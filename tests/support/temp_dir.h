// A folder for one test, removed with all that is in it.
//
//   TempDir dir;
//   WriteFileAtomically(dir / "a.txt", "text");

#ifndef GYRE_TESTS_SUPPORT_TEMP_DIR_H_
#define GYRE_TESTS_SUPPORT_TEMP_DIR_H_

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "gyre/core/check.h"

namespace gyre::internal::inline tests {

class TempDir {
 public:
  TempDir() {
    std::string name =
        (std::filesystem::temp_directory_path() / "gyre-test-XXXXXX").string();
    GYRE_CHECK(::mkdtemp(name.data()) != nullptr, "cannot create ", name);
    path_ = name;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_TEMP_DIR_H_
