// What a user may include: the facades, and what they reach. Kernels, plans
// and operation classes are internal, and stay out of their sources.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/lint/defined_names.h"
#include "tests/lint/source_tree.h"

namespace gyre::internal::inline tests {
namespace {

using Lines = std::vector<std::string>;

// The headers of the project, by the name under which they are included.
std::map<std::string, Lines> Headers() {
  std::map<std::string, Lines> headers;
  for (const SourceFile& file : ReadSourceTree()) {
    headers["gyre/" + file.path] = file.lines;
  }
  const std::filesystem::path facades =
      std::filesystem::path(GYRE_SOURCE_DIR) / "include/gyre";
  for (const auto& entry : std::filesystem::directory_iterator(facades)) {
    Lines& lines = headers["gyre/" + entry.path().filename().string()];
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  return headers;
}

// Everything that `from` includes, and who includes it first. What stands
// under `#ifdef GYRE_SIMD` is reached only by sources that ask for SIMD.
std::map<std::string, std::string> Reach(
    const std::map<std::string, Lines>& headers, const std::string& from) {
  static const std::regex include("^#include [<\"](gyre/[^>\"]+)[>\"]");
  std::map<std::string, std::string> by = {{from, "the user"}};
  std::vector<std::string> todo = {from};
  while (!todo.empty()) {
    const std::string header = todo.back();
    todo.pop_back();
    const auto found = headers.find(header);
    if (found == headers.end()) continue;
    bool simd = false;
    for (const std::string& line : found->second) {
      if (line.rfind("#ifdef GYRE_SIMD", 0) == 0) simd = true;
      if (line.rfind("#else", 0) == 0 || line.rfind("#endif", 0) == 0) {
        simd = false;
      }
      std::smatch match;
      if (simd || !std::regex_search(line, match, include)) continue;
      if (by.emplace(match[1], header).second) todo.push_back(match[1]);
    }
  }
  return by;
}

// Why a header is none of a user's business; "" if it may be reached.
std::string Internal(const std::string& header) {
  static const std::pair<std::regex, const char*> rules[] = {
      {std::regex("_kernel\\.h$|/exec/jit|/exec/tile_|/exec/dnnl_"),
       "a kernel"},
      {std::regex("/autodiff/plan/|/exec/executor\\.h"), "a plan"},
      {std::regex("/ops/[a-z_0-9]+_ops?\\.h$"), "operation classes"},
      {std::regex("gyre/train/(step/"
                  "(train_state|step_end|step_program|compile|reducer)|records/"
                  "recorder)\\.h"),
       "the inside of a step"},
      {std::regex("/grpc/|/mpi/|/shm/|/two_level/|/roster/"), "a backend"},
      {std::regex("gyre/(apps|tests)/"), "not of the library"},
  };
  static const std::set<std::string> words = {
      // Words of users that look like classes of operations.
      "gyre/autodiff/ops/shape_ops.h",
      "gyre/autodiff/ops/custom_op.h",
      "gyre/autodiff/ops/pointwise_ops.h"};
  if (words.count(header) > 0) return "";
  for (const auto& [rule, reason] : rules) {
    if (std::regex_search(header, rule)) return reason;
  }
  return "";
}

std::vector<std::string> Leaks(const std::map<std::string, Lines>& headers) {
  std::vector<std::string> leaks;
  for (const auto& [header, by] : Reach(headers, "gyre/gyre.h")) {
    const std::string reason = Internal(header);
    if (reason.empty()) continue;
    leaks.push_back(by + " brings " + header + " (" + reason +
                    ") into users' sources");
  }
  return leaks;
}

TEST(PublicHeaders, FacadesReachNothingInternal) {
  const auto headers = Headers();
  EXPECT_GT(Reach(headers, "gyre/gyre.h").size(), 90u);
  for (const std::string& leak : Leaks(headers)) ADD_FAILURE() << leak;
}

TEST(PublicHeaders, APlantedKernelIsFound) {
  auto headers = Headers();
  headers["gyre/models/mlp.h"].push_back(
      "#include \"gyre/autodiff/exec/softmax_kernel.h\"");
  ASSERT_EQ(Leaks(headers).size(), 1u);
  EXPECT_EQ(Leaks(headers)[0],
            "gyre/models/mlp.h brings gyre/autodiff/exec/softmax_kernel.h (a "
            "kernel) into users' sources");
}

// What any facade reaches. Those of the room data are no part of gyre.h, for
// what they cost a compiler.
std::set<std::string> ReachedByFacades(
    const std::map<std::string, Lines>& headers) {
  static const std::regex facade("gyre/[a-z_]+\\.h");
  std::set<std::string> reached;
  for (const auto& [header, lines] : headers) {
    if (!std::regex_match(header, facade)) continue;
    for (const auto& [name, by] : Reach(headers, header)) reached.insert(name);
  }
  return reached;
}

TEST(PublicHeaders, GyreHBringsNoArrays) {
  const auto headers = Headers();
  const auto reached = ReachedByFacades(headers);
  EXPECT_EQ(reached.count("gyre/data/array/xtensor.h"), 1u);
  for (const auto& [header, by] : Reach(headers, "gyre/gyre.h")) {
    EXPECT_NE(header.rfind("gyre/data/", 0), 0u) << by << " brings " << header;
  }
}

// Names that a header out of users' reach defines among the words of users.
std::vector<std::string> WordsOutOfReach(
    const std::map<std::string, Lines>& headers) {
  const auto reached = ReachedByFacades(headers);
  std::vector<std::string> found;
  for (const auto& [header, lines] : headers) {
    const std::string path = header.substr(5);  // without "gyre/"
    const bool is_product = path.ends_with(".h") &&
                            path.rfind("apps/", 0) != 0 &&
                            path.rfind("tests/", 0) != 0;
    if (!is_product || reached.count(header) > 0) continue;
    for (const DefinedName& name : DefinedNames({path, lines})) {
      if (name.scope != "gyre") continue;
      found.push_back(header + " defines gyre::" + name.name +
                      ", but no facade reaches it: put it into "
                      "gyre::internal::inline <room>");
    }
  }
  return found;
}

TEST(PublicHeaders, WhatNoFacadeReachesIsInternalByNamespace) {
  for (const std::string& word : WordsOutOfReach(Headers())) {
    ADD_FAILURE() << word;
  }
}

TEST(PublicHeaders, APlantedWordIsFound) {
  auto headers = Headers();
  headers["gyre/core/planted.h"] = {"namespace gyre { struct Planted {}; }"};
  ASSERT_EQ(WordsOutOfReach(headers).size(), 1u);
  EXPECT_EQ(WordsOutOfReach(headers)[0],
            "gyre/core/planted.h defines gyre::Planted, but no facade reaches "
            "it: put it into gyre::internal::inline <room>");
}

TEST(PublicHeaders, ReadmeAndExamplesIncludeFacadesAlone) {
  for (const SourceFile& file : ReadSourceTree()) {
    if (file.path.rfind("apps/examples/", 0) != 0) continue;
    for (const std::string& line : file.lines) {
      if (line.rfind("#include", 0) != 0 ||
          line.find("gyre/") == std::string::npos) {
        continue;
      }
      EXPECT_TRUE(std::regex_match(
          line, std::regex("#include [<\"](gyre|apps/examples)/\\w+\\.h[>\"]")))
          << file.path << ": " << line;
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
