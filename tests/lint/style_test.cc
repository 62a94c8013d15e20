// What the style asks of every file, as far as a machine can tell.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

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

// Sentences on namespaces that do not end with a comment of their name. Those
// of other forms, such as aliases and ones within a line, have none.
std::vector<std::string> UnnamedEnds(const SourceFile& file) {
  const std::string opens = "namespace ", closes = "}  // namespace";
  std::vector<std::string> found, open;
  for (const std::string& line : file.lines) {
    if (line.rfind(opens, 0) == 0 && line.back() == '{') {
      open.push_back(" " + line.substr(opens.size()));
      open.back().resize(open.back().size() - std::string(" {").size());
    } else if (line.rfind(closes, 0) == 0) {
      const std::string name = line.substr(closes.size());
      if (open.empty() || open.back() != name) {
        found.push_back(file.path + " ends namespace" + name +
                        ", which is not the one that is open");
      }
      if (!open.empty()) open.pop_back();
    }
  }
  for (const std::string& name : open) {
    found.push_back(file.path + " does not name the end of namespace" + name);
  }
  return found;
}

TEST(Style, NamespacesEndWithTheirName) {
  int seen = 0;
  for (const SourceFile& file : ReadSourceTree()) {
    ++seen;
    for (const std::string& text : UnnamedEnds(file)) ADD_FAILURE() << text;
  }
  EXPECT_GT(seen, 1000);
}

TEST(Style, AnUnnamedEndIsFound) {
  EXPECT_EQ(UnnamedEnds({"core/a.h",
                         {"namespace gyre::internal::inline core {",
                          "namespace {",
                          "}  // namespace",
                          "}  // namespace gyre"}}),
            std::vector<std::string>{
                "core/a.h ends namespace gyre, which is not the one that is "
                "open"});
  EXPECT_EQ(UnnamedEnds({"core/a.h", {"namespace gyre {", "}"}}),
            std::vector<std::string>{
                "core/a.h does not name the end of namespace gyre"});
  EXPECT_TRUE(UnnamedEnds({"core/a.h", {"namespace a {", "}  // namespace a"}})
                  .empty());
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
