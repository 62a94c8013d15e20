// `gyre launch` with real processes: what it prints, returns and leaves.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gyre/collectives/host_limits.h"
#include "gyre/core/clock.h"
#include "gyre/core/exit_code.h"
#include "tests/support/command.h"

namespace gyre::internal::inline tests {
namespace {

Command LaunchLaunch(int ranks,
                     const std::vector<std::string>& probe,
                     const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = {
      GYRE_COMMAND, "launch", "-n", Cat(ranks)};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"--", GYRE_PROBE});
  arguments.insert(arguments.end(), probe.begin(), probe.end());
  return Command(arguments);
}

bool ContainsLaunch(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Not there, or a zombie that its new parent has not buried yet.
bool IsGone(pid_t pid) {
  std::ifstream stat(Cat("/proc/", pid, "/stat"));
  std::string text;
  if (!std::getline(stat, text)) return true;
  const std::size_t state = text.rfind(") ");
  return state != std::string::npos && text[state + 2] == 'Z';
}

// The end of an orphan is not ours to wait for; it is a matter of moments.
bool SoonGone(pid_t pid) {
  for (const Stopwatch clock; clock.Seconds() < 10; ::usleep(2000)) {
    if (IsGone(pid)) return true;
  }
  return false;
}

std::size_t FilesInDevShm() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/dev/shm", error);
  return error ? 0 : std::distance(begin(files), end(files));
}

TEST(LaunchTest, RanksMeetAndTheirLinesAreMarked) {
  const Result result = LaunchLaunch(4, {"sum"}).Finish();
  EXPECT_EQ(result.code, 0) << result.text;
  for (int r = 0; r < 4; ++r) {
    EXPECT_TRUE(ContainsLaunch(result.text, Cat("[", r, "] rank ", r, " of 4")))
        << result.text;
  }
}

TEST(LaunchTest, ASingleRankHasNoMark) {
  const Result result = LaunchLaunch(1, {"sum"}).Finish();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.text.rfind("rank 0 of 1", 0), 0u) << result.text;
}

TEST(LaunchTest, TheEnvironmentOfTheRanks) {
  const Result result =
      LaunchLaunch(2, {"env"}, {"--env", "PROBE_EXTRA=x y"}).Finish();
  EXPECT_TRUE(ContainsLaunch(result.text, "[1] threads 1, extra x y"))
      << result.text;
  const Result own =
      LaunchLaunch(2, {"env"}, {"--env", "OMP_NUM_THREADS=3"}).Finish();
  EXPECT_TRUE(ContainsLaunch(own.text, "[0] threads 3, extra ?")) << own.text;
}

TEST(LaunchTest, LogsOfEachRank) {
  const std::string folder = testing::TempDir() + Cat("logs-", ::getpid());
  EXPECT_EQ(LaunchLaunch(2, {"sum"}, {"--log-dir", folder}).Finish().code, 0);
  EXPECT_GT(std::filesystem::file_size(folder + "/rank-0.log"), 10u);
  EXPECT_GT(std::filesystem::file_size(folder + "/rank-1.log"), 10u);
  std::filesystem::remove_all(folder);
}

TEST(LaunchTest, AnErrorEndsAllAndTheCauseIsNamed) {
  const Result result = LaunchLaunch(4, {"data", "2"}).Finish();
  EXPECT_EQ(result.code, kExitData);
  EXPECT_TRUE(
      ContainsLaunch(result.text, "error: rank 2: the file is damaged"));
  EXPECT_TRUE(ContainsLaunch(result.text, ": rank 2 gave up: the file"))
      << result.text;
  // The other two say the same, and are only counted.
  EXPECT_TRUE(ContainsLaunch(result.text, "gave the same error as rank "))
      << result.text;
  EXPECT_TRUE(ContainsLaunch(result.text,
                             "gyre launch: rank 2 failed with exit "
                             "code 3 (data)"))
      << result.text;
}

TEST(LaunchTest, AnExitWithoutAWordIsNoticedByItsPeers) {
  const Result result = LaunchLaunch(3, {"exit", "1"}).Finish();
  EXPECT_EQ(result.code, 42) << result.text;
  EXPECT_TRUE(ContainsLaunch(result.text, "rank 1 is lost")) << result.text;
  EXPECT_TRUE(ContainsLaunch(result.text, "rank 1 failed with exit code 42"));
}

TEST(LaunchTest, KillingARankEndsTheWorldWithinTwoSeconds) {
  const std::size_t files = FilesInDevShm();
  Command command = LaunchLaunch(4, {"loop"});
  ASSERT_TRUE(command.WaitFor("pid ", 4));
  ASSERT_TRUE(command.WaitFor("rank 3 of 4"));
  const Stopwatch clock;
  ::kill(command.RankPid(2), SIGKILL);
  const pid_t survivor = command.RankPid(0);
  const Result result = command.Finish();
  EXPECT_EQ(result.code, kExitPeer) << result.text;
  EXPECT_TRUE(ContainsLaunch(result.text, "rank 2 is lost")) << result.text;
  EXPECT_TRUE(ContainsLaunch(result.text, "rank 2 was killed by signal 9"));
  EXPECT_LT(clock.Seconds(), 2.0);
  EXPECT_TRUE(IsGone(survivor));
  EXPECT_EQ(FilesInDevShm(), files);
}

TEST(LaunchTest, ADeafRankIsLateAndThenKilled) {
  const Result result =
      LaunchLaunch(3, {"hang", "1"}, {"--deadline", "0.3", "--grace", "0.2"})
          .Finish();
  EXPECT_EQ(result.code, kExitPeer) << result.text;
  EXPECT_TRUE(ContainsLaunch(result.text, "rank 1 has not entered all_reduce"))
      << result.text;
  EXPECT_LT(result.seconds, 20);
}

TEST(LaunchTest, StopSignalsGoOnToTheRanks) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Command command = LaunchLaunch(2, {"loop"});
    ASSERT_TRUE(command.WaitFor("pid ", 2));
    ::kill(command.pid(), signal);
    const Result result = command.Finish();
    EXPECT_EQ(result.code, 128 + signal) << result.text;
    EXPECT_TRUE(ContainsLaunch(result.text, Cat("stopped by signal ", signal)));
  }
}

TEST(LaunchTest, NoOrphansWhenTheLauncherIsKilled) {
  Command command = LaunchLaunch(2, {"hang", "1"});
  ASSERT_TRUE(command.WaitFor("pid ", 2));
  ASSERT_TRUE(command.WaitFor("rank 1 of 2"));
  const pid_t deaf = command.RankPid(1);
  ::kill(command.pid(), SIGKILL);
  EXPECT_TRUE(SoonGone(deaf));
}

// Kubeflow, Lightning: a rank that counts something else, so that several
// processes claim the same one.
TEST(LaunchTest, ARankThatIsClaimedTwiceIsNamed) {
  const Result result = LaunchLaunch(3,
                                     {"sum"},
                                     {"--env",
                                      "GYRE_RANK=0",
                                      "--env",
                                      "GYRE_LOCAL_RANK=0",
                                      "--deadline",
                                      "2"})
                            .Finish();
  EXPECT_EQ(result.code, kExitUsage) << result.text;
  EXPECT_TRUE(
      ContainsLaunch(result.text, "rank 0 has joined already, as process"))
      << result.text;
}

TEST(LaunchTest, NothingThatARankHasStartedStays) {
  const Result result = LaunchLaunch(2, {"orphan"}).Finish();
  EXPECT_EQ(result.code, 0) << result.text;
  const std::size_t at = result.text.find("orphan ");
  ASSERT_NE(at, std::string::npos) << result.text;
  EXPECT_TRUE(IsGone(std::stoi(result.text.substr(at + 7))));
}

TEST(LaunchTest, LostRanksAreStartedAgainUpToTheLimit) {
  const Result once =
      LaunchLaunch(2, {"flaky", "1"}, {"--max-restarts", "1"}).Finish();
  EXPECT_EQ(once.code, kExitPeer) << once.text;
  EXPECT_TRUE(
      ContainsLaunch(once.text,
                     "rank 1 was killed by signal 9 (Killed); restart 1 of "
                     "1"))
      << once.text;
  const Result twice =
      LaunchLaunch(2, {"flaky", "1"}, {"--max-restarts", "5"}).Finish();
  EXPECT_EQ(twice.code, 0) << twice.text;
  EXPECT_TRUE(ContainsLaunch(twice.text, "restart 2 of 5")) << twice.text;
  EXPECT_FALSE(ContainsLaunch(twice.text, "restart 3 of 5")) << twice.text;
}

TEST(LaunchTest, AnErrorThatWouldComeAgainIsNotTriedAgain) {
  const Result result =
      LaunchLaunch(2, {"data", "0"}, {"--max-restarts", "5"}).Finish();
  EXPECT_EQ(result.code, kExitData);
  EXPECT_FALSE(ContainsLaunch(result.text, "restart")) << result.text;
}

TEST(LaunchTest, BoundRanksHaveProcessorsOfTheirOwn) {
  const int cpus = AllowedCpus();
  const Result result = LaunchLaunch(cpus, {"place"}, {"--bind"}).Finish();
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(ContainsLaunch(result.text, "threads 1")) << result.text;
  if (cpus > 1) {
    EXPECT_FALSE(ContainsLaunch(result.text, Cat("processors ", cpus, ",")))
        << result.text;
  }
}

TEST(LaunchTest, NorTheirChildren) {
  Command command =
      LaunchLaunch(1, {"family"}, {"--log-dir", testing::TempDir()});
  ASSERT_TRUE(command.WaitFor("child "));
  ASSERT_TRUE(command.WaitFor("\n", 2));
  const std::string text = command.text();
  const pid_t child = std::stoi(text.substr(text.find("child ") + 6));
  EXPECT_FALSE(IsGone(child));
  ::kill(command.pid(), SIGKILL);
  EXPECT_TRUE(SoonGone(child));
}

TEST(LaunchTest, UsageErrors) {
  const auto run = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), GYRE_COMMAND);
    return Command(arguments).Finish();
  };
  const Result unknown = run({"lunch"});
  EXPECT_EQ(unknown.code, kExitUsage);
  EXPECT_TRUE(ContainsLaunch(unknown.text, "unknown command \"lunch\""));
  EXPECT_TRUE(ContainsLaunch(unknown.text, "gyre --help"));
  EXPECT_EQ(run({}).code, kExitUsage);
  EXPECT_EQ(run({"launch"}).code, kExitUsage);
  const Result missing = run({"launch", "-n", "2", "--", "no_such_program"});
  EXPECT_EQ(missing.code, kExitUsage);
  EXPECT_TRUE(ContainsLaunch(missing.text, "no program no_such_program"));
}

TEST(LaunchTest, HelpAndVersion) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{GYRE_COMMAND, "--help"},
        std::vector<std::string>{GYRE_COMMAND, "launch", "--help"}}) {
    const Result result = Command(arguments).Finish();
    EXPECT_EQ(result.code, 0);
    EXPECT_TRUE(ContainsLaunch(result.text, "usage: gyre")) << result.text;
  }
  const Result version = Command({GYRE_COMMAND, "--version"}).Finish();
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.text.rfind("gyre ", 0), 0u);
}

}  // namespace
}  // namespace gyre::internal::inline tests
