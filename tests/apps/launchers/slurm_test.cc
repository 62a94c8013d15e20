// Slurm itself, on one node.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gyre/core/io/file.h"
#include "tests/apps/launchers/slurm_node.h"
#include "tests/support/command.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

TEST(SlurmLaunchTest, TasksAreRanksAndABatchScriptIsNone) {
  if (!SlurmNode::Missing().empty()) GTEST_SKIP() << SlurmNode::Missing();
  const SlurmNode node;
  ASSERT_TRUE(node.WaitUntilIdle()) << node.Logs();
  const Result tasks =
      RunCommand(node.Slurm({"srun", "-n", "4", GYRE_PROBE, "whoami"}));
  EXPECT_EQ(tasks.code, 0) << tasks.text << node.Logs();
  for (int r = 0; r < 4; ++r) {
    EXPECT_THAT(tasks.text,
                HasSubstr(Cat(
                    "Slurm: ", r, " of 4, local ", r, " of 4, at 127.0.0.1:")));
  }

  const Result sum =
      RunCommand(node.Slurm({"srun", "-n", "4", GYRE_PROBE, "sum"}));
  EXPECT_EQ(sum.code, 0) << sum.text << node.Logs();
  EXPECT_THAT(sum.text, HasSubstr("rank 3 of 4"));

  const std::string script = node.path() + "/job.sh";
  std::ofstream(script) << "#!/bin/sh\n"
                        << GYRE_PROBE << " whoami\n"
                        << GYRE_COMMAND << " launch -n 2 -- " << GYRE_PROBE
                        << " sum\n";
  ::chmod(script.c_str(), 0755);
  const std::string output = node.path() + "/job.out";
  const Result batch = RunCommand(
      node.Slurm({"sbatch", "--wait", "-n", "2", "-o", output, script}));
  EXPECT_EQ(batch.code, 0) << batch.text << node.Logs();
  const std::string text = ReadFile(output).value_or("");
  EXPECT_THAT(text, HasSubstr("not launched"));
  EXPECT_THAT(text, HasSubstr("[1] rank 1 of 2"));
}

// The state of a job: "RUNNING", ...
std::string StateOf(const SlurmNode& node, const std::string& job) {
  const std::string text =
      RunCommand(
          node.Slurm({"squeue", "-h", "-t", "all", "-j", job, "-o", "%T"}))
          .text;
  return text.substr(0, text.find('\n'));
}

bool WaitForState(const SlurmNode& node,
                  const std::string& job,
                  const std::string& state) {
  for (const Stopwatch clock; clock.Seconds() < 60; ::usleep(100'000)) {
    if (StateOf(node, job) == state) return true;
  }
  return false;
}

TEST(SlurmLaunchTest, TheScriptOfTheDocsGoesOnAfterItsTimeIsOver) {
  if (!SlurmNode::Missing().empty()) GTEST_SKIP() << SlurmNode::Missing();
  const SlurmNode node;
  ASSERT_TRUE(node.WaitUntilIdle()) << node.Logs();
  const std::string output = node.path() + "/storm.out";
  const std::string bin = std::filesystem::path(GYRE_COMMAND).parent_path();
  const std::string path = Cat("PATH=", bin, ":", std::getenv("PATH"));
  std::vector<std::string> submit =
      node.Slurm({"sbatch",
                  "--parsable",
                  "--chdir",
                  node.path(),
                  "-o",
                  output,
                  GYRE_DOCS "/clusters/storm.sbatch",
                  "--data",
                  "synthetic",
                  "--loss",
                  "storm_softplus",
                  "--steps",
                  "1200"});
  submit.insert(submit.begin() + 1, path);
  const Result submitted = RunCommand(submit);
  ASSERT_EQ(submitted.code, 0) << submitted.text << node.Logs();
  const std::string job =
      submitted.text.substr(0, submitted.text.find_first_of(";\n"));

  // Once it trains, what --signal=USR1@120 would send.
  const std::string metrics = node.path() + "/runs/storm/metrics.jsonl";
  for (const Stopwatch clock; clock.Seconds() < 60 && !FileExists(metrics);) {
    ::usleep(50'000);
  }
  ::usleep(300'000);
  RunCommand(node.Slurm({"scancel", "--signal=USR1", job}));
  ASSERT_TRUE(WaitForState(node, job, "PENDING"))
      << StateOf(node, job) << ReadFile(output).value_or("") << node.Logs();
  EXPECT_THAT(ReadFile(output).value_or(""), HasSubstr("stopped by signal 10"));

  // Slurm lets a job that was put back wait for two minutes.
  RunCommand(
      node.Slurm({"scontrol", "update", "jobid=" + job, "starttime=now"}));
  ASSERT_TRUE(WaitForState(node, job, "COMPLETED"))
      << StateOf(node, job) << ReadFile(output).value_or("") << node.Logs();
  const auto events =
      ReadFile(node.path() + "/runs/storm/events.jsonl").value_or("");
  EXPECT_THAT(events, HasSubstr("\"kind\":\"resume\""));
  const auto summary =
      ReadFile(node.path() + "/runs/storm/summary.json").value_or("");
  EXPECT_THAT(summary, HasSubstr("\"attempted\": 1200"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
