#include "apps/gyre/launch/launch_options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gyre::internal::inline tests {
namespace {

StatusOr<LaunchOptions> Parse(const std::vector<std::string>& args) {
  return ParseLaunchOptions(args);
}

TEST(LaunchOptionsTest, AllOptions) {
  const auto options = Parse({"-n",
                              "4",
                              "--log-dir",
                              "logs",
                              "--grace=2.5",
                              "--deadline",
                              "7",
                              "--bind",
                              "--max-restarts=3",
                              "--env",
                              "A=1",
                              "--env=B=x=y",
                              "--",
                              "app",
                              "--flag",
                              "-n"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->ranks, 4);
  EXPECT_EQ(options->log_dir, "logs");
  EXPECT_EQ(options->grace_s, 2.5);
  EXPECT_EQ(options->deadline_s, 7.0);
  EXPECT_TRUE(options->bind);
  EXPECT_EQ(options->max_restarts, 3);
  ASSERT_EQ(options->env.size(), 2u);
  EXPECT_EQ(options->env[1].first, "B");
  EXPECT_EQ(options->env[1].second, "x=y");
  EXPECT_EQ(options->command,
            (std::vector<std::string>{"app", "--flag", "-n"}));
}

TEST(LaunchOptionsTest, TheProgramMayStandWithoutDashes) {
  const auto options = Parse({"--ranks", "2", "app", "--", "x"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->ranks, 2);
  EXPECT_EQ(options->command, (std::vector<std::string>{"app", "--", "x"}));
}

TEST(LaunchOptionsTest, ProcessesMayBeFewerThanRanks) {
  EXPECT_EQ(Parse({"-n", "8", "app"})->processes, 0);
  EXPECT_EQ(Parse({"-n", "8", "--processes", "3", "app"})->processes, 3);
  EXPECT_EQ(Parse({"--processes=8", "-n", "8", "app"})->processes, 8);
  EXPECT_NE(LaunchHelp().find("--processes P"), std::string_view::npos);
}

TEST(LaunchOptionsTest, SeveralHosts) {
  const auto options =
      Parse({"--hosts", "hosts", "--rsh", "ssh -p 2222", "app"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->hosts, "hosts");
  EXPECT_EQ(options->rsh, "ssh -p 2222");
  EXPECT_EQ(options->ranks, 0);  // all slots
  EXPECT_EQ(Parse({"-n", "2000", "--hosts=h", "app"})->ranks, 2000);
  EXPECT_EQ(Parse({"app"})->rsh, "ssh");
  EXPECT_TRUE(Parse({"--part"})->part);
}

TEST(LaunchOptionsTest, HelpNeedsNoProgram) {
  const auto options = Parse({"-n", "2", "--help"});
  ASSERT_TRUE(options.ok());
  EXPECT_TRUE(options->help);
  EXPECT_NE(LaunchHelp().find("--grace"), std::string_view::npos);
}

TEST(LaunchOptionsTest, ErrorsNameWhatIsWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "which program"},
      {{"-n", "2", "--"}, "which program"},
      {{"-n"}, "-n needs a value"},
      {{"-n", "0", "--", "a"}, "\"0\""},
      {{"-n", "2x", "--", "a"}, "\"2x\""},
      {{"-n", "100000", "x"}, "from 1 to 65536"},
      {{"-n", "2000", "x"}, "at most 1024 ranks on one host"},
      {{"-n", "4", "--processes", "5", "x"}, "give at most 4"},
      {{"--processes", "2", "x"}, "--processes 2 with -n 1"},
      {{"-n", "4", "--processes", "0", "x"}, "\"0\""},
      {{"-n", "4", "--processes", "-2", "x"}, "\"-2\""},
      {{"-n", "4", "--processes", "two", "x"}, "processes from 1 to 1024"},
      {{"-n", "4", "--processes", "2.5", "x"}, "\"2.5\""},
      {{"-n", "4", "--processes"}, "--processes needs a value"},
      {{"--hosts", "h", "--processes", "2", "x"}, "leave out one of them"},
      {{"-n", "4", "--processes", "2", "--collectives", "mpi", "x"},
       "a rank of MPI is a process"},
      {{"--grace", "-1", "--", "a"}, "--grace"},
      {{"--deadline", "0", "--", "a"}, "--deadline"},
      {{"--deadline", "soon", "--", "a"}, "soon"},
      {{"--env", "A", "--", "a"}, "NAME=VALUE"},
      {{"--env", "=1", "--", "a"}, "NAME=VALUE"},
      {{"--log-dir=", "--", "a"}, "--log-dir"},
      {{"--frobnicate", "--", "a"}, "--frobnicate"}};
  for (const auto& [args, expected] : cases) {
    const auto options = Parse(args);
    ASSERT_FALSE(options.ok()) << expected;
    EXPECT_EQ(KindOf(options.status()), ErrorKind::kConfig);
    EXPECT_NE(Message(options.status()).find(expected), std::string::npos)
        << options.status();
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
