// The project's own source files, for tests of how it is written.

#ifndef GYRE_TESTS_LINT_SOURCE_TREE_H_
#define GYRE_TESTS_LINT_SOURCE_TREE_H_

#include <string>
#include <vector>

namespace gyre::internal::inline tests {

struct SourceFile {
  std::string path;  // from the root, "core/status.h"
  std::vector<std::string> lines;

  // "core", or "tests" for everything below tests/.
  std::string room() const { return path.substr(0, path.find('/')); }
};

// Every .h and .cc of the rooms and the tests.
std::vector<SourceFile> ReadSourceTree();

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_LINT_SOURCE_TREE_H_
