// The direction of dependence between rooms: an arrow never runs back.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/lint/source_tree.h"

namespace gyre::internal::inline tests {
namespace {

// Which rooms a room may include, besides itself (docs/architecture.md).
const std::map<std::string, std::set<std::string>>& Allowed() {
  static const auto& table = *new std::map<std::string, std::set<std::string>>{
      {"core", {}},
      {"data", {"core"}},
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
        "data",
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

// The sub-rooms of train, from the ground up: none includes a later one.
const std::vector<std::string>& SubRoomsOfTrain() {
  static const auto& list = *new std::vector<std::string>{"context",
                                                          "data",
                                                          "faults",
                                                          "step",
                                                          "checkpoint",
                                                          "records",
                                                          "replay",
                                                          "run"};
  return list;
}

// The place of "train/step/..." in the list; nothing: it is in none.
std::optional<std::ptrdiff_t> SubRoom(const std::string& path) {
  if (path.rfind("train/", 0) != 0) return std::nullopt;
  const std::string name = path.substr(6, path.find('/', 6) - 6);
  const auto& list = SubRoomsOfTrain();
  const auto at = std::find(list.begin(), list.end(), name);
  if (at == list.end()) return std::nullopt;
  return at - list.begin();
}

// Sentences on the arrows that run back between sub-rooms of train.
std::vector<std::string> BackInTrain(const SourceFile& file) {
  std::vector<std::string> found;
  const auto from = SubRoom(file.path);
  for (const std::string& line : file.lines) {
    const std::string mark = "#include \"gyre/";
    if (line.rfind(mark, 0) != 0) continue;
    const auto to = SubRoom(line.substr(mark.size()));
    if (from.has_value() && to.has_value() && *to > *from) {
      found.push_back(file.path + " looks up: " + line);
    }
  }
  return found;
}

TEST(IncludeDag, ArrowsNeverRunBackInsideTrain) {
  int inside = 0;
  for (const SourceFile& file : ReadSourceTree()) {
    inside += SubRoom(file.path).has_value() ? 1 : 0;
    for (const std::string& sentence : BackInTrain(file)) {
      ADD_FAILURE() << sentence;
    }
  }
  EXPECT_GT(inside, 100);
}

TEST(IncludeDag, APlantedArrowIsFound) {
  EXPECT_EQ(BackInTrain({"train/step/planted.h",
                         {"#include \"gyre/train/data/batch.h\"",
                          "#include \"gyre/train/run/loop.h\""}}),
            std::vector<std::string>{"train/step/planted.h looks up: #include "
                                     "\"gyre/train/run/loop.h\""});
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
