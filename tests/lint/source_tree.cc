#include "tests/lint/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace gyre::internal::inline tests {
namespace {

constexpr const char* kRooms[] = {"core",
                                  "data",
                                  "mesh",
                                  "collectives",
                                  "autodiff",
                                  "optim",
                                  "models",
                                  "monitor",
                                  "train",
                                  "runtime",
                                  "apps",
                                  "tests"};

SourceFile ReadOne(const std::filesystem::path& root,
                   const std::filesystem::path& path) {
  SourceFile file;
  file.path = std::filesystem::relative(path, root).string();
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  return file;
}

}  // namespace

std::vector<SourceFile> ReadSourceTree() {
  const std::filesystem::path root = GYRE_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const char* room : kRooms) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(root / room)) {
      const auto extension = entry.path().extension();
      if (extension == ".h" || extension == ".cc") {
        files.push_back(ReadOne(root, entry.path()));
      }
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return a.path < b.path;
  });
  return files;
}

}  // namespace gyre::internal::inline tests
