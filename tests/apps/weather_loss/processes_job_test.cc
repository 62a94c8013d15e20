// The main job with ranks that share processes: the same bits wherever the
// ranks are, and the same ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "gyre/core/clock.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "tests/apps/weather_loss/job_run.h"
#include "tests/support/command.h"
#include "tests/support/shared_files.h"
#include "tests/support/some_rank.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;

constexpr char kProgram[] = "weather_loss";

// A small model of made-up data: what counts here is where the ranks are.
Arguments LaunchProcessesJob(int ranks,
                             int processes,
                             const std::string& out,
                             Arguments more,
                             Arguments options = {}) {
  Arguments all = {
      GYRE_COMMAND, "launch", "-n", Cat(ranks), "--processes", Cat(processes)};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(),
             {"--",
              kProgram,
              "--data",
              "synthetic",
              "--hidden",
              "4",
              "--kernel",
              "3",
              "--batch",
              Cat(ranks),
              "--out",
              out});
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// The hash of the parameters at the end; "" when it did not get there.
std::string HashOfRun(const Arguments& arguments, const std::string& out) {
  const Result result = RunCommand(arguments);
  EXPECT_EQ(result.code, kExitDone) << result.text;
  if (result.code != kExitDone) return "";
  const Json summary = Summary(out);
  EXPECT_TRUE(*summary.GetBool("hashes_equal"));
  EXPECT_EQ(*summary.GetInt("plans"), 1);
  return *summary.GetString("param_hash");
}

TEST(ProcessesJob, EightRanksHaveTheSameBitsOnEightFourTwoAndOneProcesses) {
  const TempDir dir;
  std::string first;
  for (const int processes : {8, 4, 2, 1}) {
    const std::string out = dir / Cat("run", processes);
    const std::string hash = HashOfRun(
        LaunchProcessesJob(8, processes, out, {"--steps", "200"}), out);
    if (processes == 8) first = hash;
    EXPECT_EQ(hash, first) << processes << " processes";
    EXPECT_EQ(*Summary(out).GetString("collectives"),
              processes == 1 ? "local" : "shm");
  }
}

TEST(ProcessesJob, WhatEightProcessesHaveSavedGoesOnOnTwo) {
  const TempDir dir;
  const Arguments options = {"--steps", "60", "--checkpoint-every", "25"};
  const std::string whole = HashOfRun(
      LaunchProcessesJob(8, 8, dir / "whole", options), dir / "whole");
  Arguments more = options;
  more.insert(more.end(),
              {"--resume", dir / "whole/checkpoints/step-00000025"});
  EXPECT_EQ(HashOfRun(LaunchProcessesJob(8, 2, dir / "two", more), dir / "two"),
            whole);
  EXPECT_EQ(HashOfRun(LaunchProcessesJob(8, 1, dir / "one", more), dir / "one"),
            whole);
}

TEST(ProcessesJob, AKilledProcessEndsTheRunWithTheNamesOfItsRanks) {
  const TempDir dir;
  const std::set<std::string> files = SharedFiles();
  Command job(LaunchProcessesJob(8, 4, dir / "run", {"--steps", "1000000"}));
  ASSERT_TRUE(job.WaitFor("step 1/"));
  // The launcher's first: that of the ranks 0 and 1.
  const pid_t process = SomeRank(job.pid(), kProgram);
  ASSERT_GT(process, 0);
  const Stopwatch clock;
  ASSERT_EQ(::kill(process, SIGKILL), 0);
  const Result result = job.Finish();
  EXPECT_LT(clock.Seconds(), 3.0);
  EXPECT_EQ(result.code, kExitPeer) << result.text;
  EXPECT_THAT(result.text, HasSubstr("ranks 0 and 1 are lost"));
  EXPECT_THAT(result.text, HasSubstr("ranks 0 and 1 were killed by signal 9"));
  EXPECT_EQ(SharedFiles(), files);
}

TEST(ProcessesJob, ARestartedRunEndsOnTheSameBits) {
  const TempDir dir;
  const Arguments options = {"--steps", "100", "--checkpoint-every", "20"};
  const std::string whole = HashOfRun(
      LaunchProcessesJob(4, 4, dir / "whole", options), dir / "whole");
  Command job(LaunchProcessesJob(
      4, 2, dir / "again", options, {"--max-restarts", "3"}));
  const std::string manifest =
      dir / "again/checkpoints/step-00000040/manifest.json";
  for (const Stopwatch clock; clock.Seconds() < 60 && !FileExists(manifest);) {
    ::usleep(1000);
  }
  ASSERT_EQ(::kill(SomeRank(job.pid(), kProgram), SIGKILL), 0);
  const Result result = job.Finish();
  ASSERT_EQ(result.code, kExitDone) << result.text;
  EXPECT_THAT(result.text, HasSubstr("restart 1 of 3"));
  EXPECT_EQ(*Summary(dir / "again").GetString("param_hash"), whole);
  EXPECT_EQ(*Summary(dir / "again").GetInt("attempted"), 100);
}

TEST(ProcessesJob, ASignalEndsAllRanksAfterACheckpoint) {
  const TempDir dir;
  for (const int processes : {1, 2}) {
    const std::string out = dir / Cat(processes);
    Command job(LaunchProcessesJob(4, processes, out, {"--steps", "1000000"}));
    ASSERT_TRUE(job.WaitFor("step 1/"));
    ASSERT_EQ(::kill(SomeRank(job.pid(), kProgram), SIGUSR1), 0);
    const Result result = job.Finish();
    EXPECT_EQ(result.code, 128 + SIGUSR1) << result.text;
    EXPECT_THAT(result.text, HasSubstr("resume from"));
    EXPECT_TRUE(FileExists(out + "/checkpoints/latest/manifest.json"));
  }
}

// Rank 0's standard output alone is the summary, whoever shares its process.
TEST(ProcessesJob, JsonIsAllThatIsPrinted) {
  const TempDir dir;
  for (const int processes : {1, 2}) {
    const std::string out = dir / Cat(processes);
    const Result result = RunCommand({"/bin/sh",
                                      "-c",
                                      "exec \"$@\" 2>/dev/null",
                                      "sh",
                                      GYRE_COMMAND,
                                      "launch",
                                      "-n",
                                      "4",
                                      "--processes",
                                      Cat(processes),
                                      "--",
                                      kProgram,
                                      "--data",
                                      "synthetic",
                                      "--hidden",
                                      "4",
                                      "--steps",
                                      "3",
                                      "--json",
                                      "--out",
                                      out});
    EXPECT_EQ(result.code, kExitDone);
    const auto json = Json::Parse(result.text);
    ASSERT_TRUE(json.ok()) << result.text;
    EXPECT_EQ(*json->GetInt("world"), 4);
  }
}

// An error of one rank's data is that rank's, not its process's.
TEST(ProcessesJob, ASkipNamesTheRank) {
  const TempDir dir;
  const Result result =
      RunCommand(LaunchProcessesJob(4,
                                    1,
                                    dir / "run",
                                    {"--steps",
                                     "12",
                                     "--loss",
                                     "storm_softplus",
                                     "--inject",
                                     "nan_grad@rank=2,step=7,tensor=head.w"}));
  ASSERT_EQ(result.code, kExitDone) << result.text;
  const Json first = *Summary(dir / "run").Find("first_skip");
  EXPECT_EQ(*first.GetInt("step"), 7);
  EXPECT_EQ(first.Find("ranks")->Dump(), "[2]");
  for (int r = 0; r < 4; ++r) {
    EXPECT_TRUE(FileExists(dir / Cat("run/ranks/0000", r, ".jsonl")));
    EXPECT_TRUE(FileExists(dir / Cat("run/flight/0000", r, ".jsonl")));
  }
}

}  // namespace
}  // namespace gyre::weather
