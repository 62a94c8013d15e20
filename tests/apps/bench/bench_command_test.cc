// `gyre bench` as a person runs it.

#include "apps/gyre/bench/bench_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "gyre/core/exit_code.h"
#include "gyre/core/io/json.h"
#include "tests/support/command.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

Result Bench(std::vector<std::string> args) {
  args.insert(args.begin(), {GYRE_COMMAND, "bench"});
  return RunCommand(args);
}

TEST(BenchCommandTest, OneJsonObjectForEachSize) {
  for (const std::string backend : {"shm", "local", "grpc"}) {
    const Result result = Bench({"all-gather",
                                 "-n",
                                 "3",
                                 "--sizes",
                                 "12,3K",
                                 "--seconds",
                                 "0.001",
                                 "--json",
                                 "--collectives",
                                 backend});
    ASSERT_EQ(result.code, 0) << result.text;
    std::istringstream lines(result.text);
    std::vector<std::int64_t> sizes;
    for (std::string text; std::getline(lines, text);) {
      const auto line = Json::Parse(text);
      ASSERT_TRUE(line.ok()) << text;
      EXPECT_EQ(*line->GetString("backend"), backend);
      EXPECT_EQ(*line->GetString("op"), "all-gather");
      EXPECT_EQ(*line->GetInt("ranks"), 3);
      sizes.push_back(*line->GetInt("bytes"));
      for (const char* key : {"median_us", "p99_us", "gb_per_s"}) {
        EXPECT_GT(line->GetDouble(key).value_or(0), 0) << key;
      }
    }
    EXPECT_THAT(sizes, testing::ElementsAre(12, 3072));
  }
}

TEST(BenchCommandTest, ATableForPeople) {
  const Result result =
      Bench({"all-reduce", "--sizes", "4K", "--seconds", "0.001"});
  ASSERT_EQ(result.code, 0) << result.text;
  EXPECT_EQ(result.text.rfind("all-reduce, 2 ranks, shm\n", 0), 0u)
      << result.text;
  EXPECT_THAT(result.text, HasSubstr("copy GB/s"));
  EXPECT_THAT(result.text, HasSubstr("\n       4K "));
}

TEST(BenchCommandTest, ErrorsAndHelp) {
  const Result unknown = Bench({"all-to-none"});
  EXPECT_EQ(unknown.code, kExitUsage);
  EXPECT_THAT(unknown.text, HasSubstr("gyre bench --help"));
  const Result help = Bench({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.text, HasSubstr("--payload"));
  const Result other = RunCommand({GYRE_COMMAND,
                                   "launch",
                                   "-n",
                                   "2",
                                   "--",
                                   GYRE_COMMAND,
                                   "bench",
                                   "all-reduce",
                                   "-n",
                                   "3"});
  EXPECT_EQ(other.code, kExitUsage);
  EXPECT_THAT(other.text, HasSubstr("it was started with 2 ranks"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
