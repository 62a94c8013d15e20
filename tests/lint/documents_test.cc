// What the documents say of the tree is there.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace gyre::internal::inline tests {
namespace {

const std::filesystem::path kRoot = GYRE_SOURCE_DIR;

std::string TextOf(const std::string& document) {
  std::ifstream in(kRoot / document);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Documents, FilesThatContributorsTouchAreThere) {
  const std::string text = TextOf("CONTRIBUTING.md");
  const std::regex path("`((?:\\w+/)+\\w+\\.\\w+)`");
  int seen = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), path), end; it != end;
       ++it) {
    ++seen;
    EXPECT_TRUE(std::filesystem::exists(kRoot / (*it)[1].str())) << it->str();
  }
  EXPECT_GT(seen, 30);
}

// A formatter for C++ that is let loose on a document makes "#word" of it.
TEST(Documents, HeadingsHaveASpaceBehindTheirMarks) {
  int seen = 0;
  std::filesystem::recursive_directory_iterator it(kRoot), end;
  for (; it != end; ++it) {
    const std::filesystem::path& path = it->path();
    const std::string name = path.filename().string();
    const bool ours = name[0] != '.' && !name.starts_with("build");
    if (it->is_directory() && !ours) it.disable_recursion_pending();
    if (path.extension() != ".md") continue;
    ++seen;
    std::string first;
    std::ifstream in(path);
    std::getline(in, first);
    EXPECT_TRUE(first.starts_with("# ")) << path << ": " << first;
  }
  EXPECT_GT(seen, 10);
}

}  // namespace
}  // namespace gyre::internal::inline tests
