// What the style asks of every file, as far as a machine can tell.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "tests/lint/source_tree.h"

namespace gyre::internal::inline tests {
namespace {

bool IsHeader(const SourceFile& file) {
  return file.path.size() > 2 &&
         file.path.compare(file.path.size() - 2, 2, ".h") == 0;
}

std::string GuardOf(const std::string& path) {
  // The project that gyre new copies guards its own.
  const std::string copied = "apps/gyre/new/project/";
  std::string guard = path.rfind(copied, 0) == 0
                          ? "MY_PROJECT_" + path.substr(copied.size()) + "_"
                          : "GYRE_" + path + "_";
  for (char& c : guard) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0
            ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
            : '_';
  }
  return guard;
}

TEST(Style, LinesHaveAtMostEightyColumns) {
  for (const SourceFile& file : ReadSourceTree()) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_LE(file.lines[i].size(), 80u) << file.path << ":" << i + 1;
    }
  }
}

TEST(Style, FilesStaySmall) {
  for (const SourceFile& file : ReadSourceTree()) {
    // Golden numbers are data.
    if (file.path.rfind("tests/golden/", 0) == 0) continue;
    const std::size_t limit = file.room() == "tests" ? 700 : 500;
    EXPECT_LE(file.lines.size(), limit) << file.path;
  }
}

TEST(Style, HeadersAreGuardedByTheirPath) {
  for (const SourceFile& file : ReadSourceTree()) {
    // A project of somebody else's writes as it likes.
    if (file.path.rfind("tests/install/consumer/", 0) == 0) continue;
    if (!IsHeader(file)) continue;
    const std::string wanted = "#ifndef " + GuardOf(file.path);
    EXPECT_NE(std::find(file.lines.begin(), file.lines.end(), wanted),
              file.lines.end())
        << file.path << " needs " << wanted;
  }
}

TEST(Style, NothingIsLeftOpen) {
  for (const SourceFile& file : ReadSourceTree()) {
    if (file.room() == "tests") continue;
    for (const std::string& line : file.lines) {
      for (const char* word : {"TODO", "FIXME", "XXX"}) {
        EXPECT_EQ(line.find(word), std::string::npos) << file.path << line;
      }
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
