// Slurm itself, on one node.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "core/io/file.h"
#include "tests/apps/launchers/slurm_node.h"
#include "tests/support/command.h"

namespace gyre {
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

}  // namespace
}  // namespace gyre
