// The environment is read where a program starts, and nowhere below: what a
// public function does must not hang on a variable that nobody passed to it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/lint/source_tokens.h"
#include "tests/lint/source_tree.h"

namespace gyre::internal::inline tests {
namespace {

// Each with what it reads.
const std::set<std::string>& Readers() {
  static const auto& readers = *new std::set<std::string>{
      "autodiff/plan/jit_switch.cc",   // GYRE_JIT: which of two equal loops
      "collectives/grpc/endpoint.cc",  // whether the user has set gRPC's own
      "collectives/launch_env.cc",     // the launchers' variables, for all
  };
  return readers;
}

bool ReadsEnvironment(const std::string& word) {
  static const auto& words = *new std::set<std::string>{"getenv",
                                                        "secure_getenv",
                                                        "environ",
                                                        "__environ",
                                                        "ProcessEnv",
                                                        "ReadRunContext"};
  return words.contains(word);
}

// "train/run/loop.cc:12 getenv"; of the rooms below the programs.
std::vector<std::string> Reads(const std::vector<SourceFile>& files) {
  static const auto& above =
      *new std::set<std::string>{"apps", "include", "runtime", "tests"};
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    if (above.contains(file.room()) || Readers().contains(file.path)) continue;
    for (const SourceToken& token : TokensOf(file).code) {
      if (!ReadsEnvironment(token.text)) continue;
      // The default of an argument, which JoinWorld and RunMain are given.
      const bool given = file.room() == "collectives";
      if (given && token.text == "ProcessEnv") continue;
      found.push_back(file.path + ":" + std::to_string(token.line) + " " +
                      token.text);
    }
  }
  return found;
}

TEST(Environment, IsReadInItsReadersAlone) {
  EXPECT_THAT(Reads(ReadSourceTree()), testing::IsEmpty());
}

TEST(Environment, APlantedReadIsFound) {
  const std::vector<SourceFile> files = {
      {"train/run/loop.cc",
       {"// getenv in a comment, and \"getenv\" in a text, are none.",
        "const char* a = \"getenv\";",
        "const char* b = std::getenv(\"GYRE_REPLAY\");"}},
      {"monitor/log.cc", {"auto c = ProcessEnv(\"HOME\");"}},
      {"runtime/run_main.cc", {"auto d = std::getenv(\"GYRE_REPLAY\");"}}};
  EXPECT_THAT(Reads(files),
              testing::ElementsAre("train/run/loop.cc:3 getenv",
                                   "monitor/log.cc:1 ProcessEnv"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
