// `gyre launch --processes`: ranks that share processes.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gyre/core/clock.h"
#include "gyre/core/exit_code.h"
#include "tests/support/command.h"

namespace gyre::internal::inline tests {
namespace {

Command LaunchProcesses(int ranks,
                        int processes,
                        const std::vector<std::string>& probe,
                        const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = {
      GYRE_COMMAND, "launch", "-n", Cat(ranks), "--processes", Cat(processes)};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"--", GYRE_PROBE});
  arguments.insert(arguments.end(), probe.begin(), probe.end());
  return Command(arguments);
}

bool ContainsProcesses(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ProcessesTest, AllRanksMeetWhereverTheyAre) {
  for (const int processes : {1, 2, 3, 8}) {
    Command command = LaunchProcesses(8, processes, {"backend"});
    const Result result = command.Finish();
    EXPECT_EQ(result.code, 0) << result.text;
    for (int r = 0; r < 8; ++r) {
      EXPECT_TRUE(ContainsProcesses(result.text, Cat("rank ", r, " of 8")))
          << r;
    }
    EXPECT_TRUE(ContainsProcesses(
        result.text, processes == 1 ? "backend local" : "backend shm"))
        << result.text;
    EXPECT_EQ(command.RankPid(0) == command.RankPid(7), processes == 1);
    EXPECT_EQ(command.RankPid(0) == command.RankPid(1), processes != 8);
  }
}

TEST(ProcessesTest, LinesNameTheRanksOfTheirProcess) {
  const Result two = LaunchProcesses(5, 2, {"sum"}).Finish();
  EXPECT_TRUE(ContainsProcesses(two.text, "[0-2] rank 2 of 5")) << two.text;
  EXPECT_TRUE(ContainsProcesses(two.text, "[3-4] rank 3 of 5")) << two.text;
  const Result one = LaunchProcesses(2, 1, {"sum"}).Finish();
  EXPECT_EQ(one.text.rfind("rank ", 0), 0u) << one.text;
}

TEST(ProcessesTest, AnErrorEndsAllAndTheCauseIsNamed) {
  for (const int processes : {1, 2}) {
    const Result result = LaunchProcesses(4, processes, {"data", "2"}).Finish();
    EXPECT_EQ(result.code, kExitData) << result.text;
    EXPECT_TRUE(
        ContainsProcesses(result.text, "error: rank 2: the file is damaged"));
    EXPECT_TRUE(ContainsProcesses(result.text, ": rank 2 gave up: the file"));
    EXPECT_TRUE(ContainsProcesses(result.text, "gave the same error as rank "));
    EXPECT_TRUE(ContainsProcesses(
        result.text, "gyre launch: rank 2 failed with exit code 3 (data)"))
        << result.text;
  }
}

TEST(ProcessesTest, AKilledProcessIsTheLossOfAllItsRanks) {
  Command command = LaunchProcesses(6, 2, {"loop"});
  ASSERT_TRUE(command.WaitFor("pid ", 6));
  const Stopwatch clock;
  ::kill(command.RankPid(4), SIGKILL);
  const Result result = command.Finish();
  EXPECT_EQ(result.code, kExitPeer) << result.text;
  EXPECT_TRUE(ContainsProcesses(result.text, "ranks 3 to 5 are lost"))
      << result.text;
  EXPECT_TRUE(ContainsProcesses(
      result.text, "ranks 3 to 5 were killed by signal 9 (Killed)"))
      << result.text;
  EXPECT_LT(clock.Seconds(), 5);
}

TEST(ProcessesTest, AnExitWithoutAWordIsThatOfTheProcess) {
  const Result result = LaunchProcesses(4, 2, {"exit", "1"}).Finish();
  EXPECT_EQ(result.code, 42) << result.text;
  EXPECT_TRUE(ContainsProcesses(result.text, "ranks 0 and 1 are lost"))
      << result.text;
  EXPECT_TRUE(
      ContainsProcesses(result.text, "ranks 0 and 1 failed with exit code 42"));
}

TEST(ProcessesTest, ADeafRankIsLateAndEndsWithItsProcess) {
  for (const int processes : {1, 2}) {
    const Result result =
        LaunchProcesses(4,
                        processes,
                        {"hang", "1"},
                        {"--deadline", "0.3", "--grace", "0.2"})
            .Finish();
    EXPECT_EQ(result.code, kExitPeer) << result.text;
    EXPECT_TRUE(
        ContainsProcesses(result.text, "rank 1 has not entered all_reduce"))
        << result.text;
    EXPECT_LT(result.seconds, 20);
  }
}

TEST(ProcessesTest, StopSignalsReachThem) {
  for (const int processes : {1, 2}) {
    Command command = LaunchProcesses(4, processes, {"loop"});
    ASSERT_TRUE(command.WaitFor("pid ", 4));
    ::kill(command.pid(), SIGTERM);
    const Result result = command.Finish();
    EXPECT_EQ(result.code, 128 + SIGTERM) << result.text;
  }
}

TEST(ProcessesTest, LostProcessesAreStartedAgain) {
  const Result result =
      LaunchProcesses(4, 2, {"flaky", "3"}, {"--max-restarts", "5"}).Finish();
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(
      ContainsProcesses(result.text,
                        "ranks 2 and 3 were killed by signal 9 (Killed); "
                        "restart 1 of 5"))
      << result.text;
  EXPECT_TRUE(ContainsProcesses(result.text, "restart 2 of 5"));
}

TEST(ProcessesTest, LogsAndProcessorsOfEachProcess) {
  const std::string folder = testing::TempDir() + Cat("shared-", ::getpid());
  const Result result =
      LaunchProcesses(4, 2, {"place"}, {"--bind", "--log-dir", folder})
          .Finish();
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(ContainsProcesses(result.text, "threads 1")) << result.text;
  EXPECT_GT(std::filesystem::file_size(folder + "/ranks-0-1.log"), 10u);
  EXPECT_GT(std::filesystem::file_size(folder + "/ranks-2-3.log"), 10u);
  std::filesystem::remove_all(folder);
}

TEST(ProcessesTest, WrongNumbersAreUsageErrors) {
  const Result more = LaunchProcesses(2, 3, {"sum"}).Finish();
  EXPECT_EQ(more.code, kExitUsage);
  EXPECT_TRUE(ContainsProcesses(more.text, "give at most 2")) << more.text;
  EXPECT_EQ(LaunchProcesses(2, 0, {"sum"}).Finish().code, kExitUsage);
  EXPECT_EQ(LaunchProcesses(2, -1, {"sum"}).Finish().code, kExitUsage);
}

}  // namespace
}  // namespace gyre::internal::inline tests
