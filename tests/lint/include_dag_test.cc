// The direction of dependence between rooms: an arrow never runs back.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/lint/source_tree.h"

namespace gyre::internal::inline tests {
namespace {

// Which rooms a room may include, besides itself (docs/architecture.md).
const std::map<std::string, std::set<std::string>>& Allowed() {
  static const auto& table = *new std::map<std::string, std::set<std::string>>{
      {"core", {}},
      {"mesh", {"core"}},
      {"collectives", {"core", "mesh"}},
      {"autodiff", {"core", "mesh"}},
      {"optim", {"core", "mesh", "autodiff"}},
      {"models", {"core", "mesh", "autodiff", "optim"}},
      {"monitor", {"core"}},
      {"train", {"core", "mesh", "autodiff", "optim", "models", "monitor"}},
      {"runtime", {"core", "mesh", "collectives", "monitor", "optim", "train"}},
      {"apps",
       {"core",
        "mesh",
        "collectives",
        "autodiff",
        "optim",
        "models",
        "monitor",
        "train",
        "runtime"}},
  };
  return table;
}

// The room of `#include "gyre/room/file.h"` or "apps/file.h", or "".
std::string IncludedRoom(const std::string& line) {
  const std::string mark = "#include \"";
  if (line.rfind(mark, 0) != 0) return "";
  std::string path = line.substr(mark.size());
  if (path.rfind("gyre/", 0) == 0) path = path.substr(5);
  return path.substr(0, path.find('/'));
}

TEST(IncludeDag, ArrowsNeverRunBack) {
  int seen = 0;
  for (const SourceFile& file : ReadSourceTree()) {
    const auto allowed = Allowed().find(file.room());
    if (allowed == Allowed().end()) continue;  // tests may include anything
    for (const std::string& line : file.lines) {
      const std::string room = IncludedRoom(line);
      if (Allowed().count(room) == 0 && room != "tests") continue;
      ++seen;
      EXPECT_TRUE(room == file.room() || allowed->second.count(room) > 0)
          << file.path << " includes " << room << ": " << line;
    }
  }
  EXPECT_GT(seen, 300);  // the test reads what it thinks it reads
}

}  // namespace
}  // namespace gyre::internal::inline tests
