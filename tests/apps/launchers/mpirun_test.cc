// Open MPI's mpirun itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/command.h"

namespace gyre::internal::inline tests {
namespace {

constexpr char kMpirun[] = "/usr/bin/mpirun.openmpi";

std::vector<std::string> Mpirun(std::vector<std::string> more) {
  more.insert(more.begin(),
              {kMpirun, "--allow-run-as-root", "--oversubscribe", "-n", "4"});
  return more;
}

TEST(MpirunLaunchTest, ProcessesAreRanks) {
  if (::access(kMpirun, X_OK) != 0) GTEST_SKIP() << "no " << kMpirun;
  const Result result = RunCommand(Mpirun({GYRE_PROBE, "whoami"}));
  EXPECT_EQ(result.code, 0) << result.text;
  for (int r = 0; r < 4; ++r) {
    EXPECT_THAT(
        result.text,
        testing::HasSubstr(
            Cat("Open MPI: ", r, " of 4, local ", r, " of 4, at 127.0.0.1:")));
  }
}

TEST(MpirunLaunchTest, TheyMeetAndTalkEveryWay) {
  if (::access(kMpirun, X_OK) != 0) GTEST_SKIP() << "no " << kMpirun;
  for (const std::string way : {"auto", "grpc"}) {
    const Result result = RunCommand(
        Mpirun({"-x", "GYRE_COLLECTIVES=" + way, GYRE_PROBE, "sum"}));
    EXPECT_EQ(result.code, 0) << way << ": " << result.text;
    EXPECT_THAT(result.text, testing::HasSubstr("rank 3 of 4"));
  }
}

TEST(MpirunLaunchTest, BenchTakesItsOptionsUnderAnotherLauncherToo) {
  if (::access(kMpirun, X_OK) != 0) GTEST_SKIP() << "no " << kMpirun;
  const Result result = RunCommand(Mpirun({GYRE_COMMAND,
                                           "bench",
                                           "all-reduce",
                                           "--collectives",
                                           "grpc",
                                           "--sizes",
                                           "8",
                                           "--seconds",
                                           "0.01"}));
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, testing::HasSubstr("all-reduce, 4 ranks, grpc"));
}

TEST(MpirunLaunchTest, AnErrorOfOneEndsAllWithItsExitCode) {
  if (::access(kMpirun, X_OK) != 0) GTEST_SKIP() << "no " << kMpirun;
  const Result result = RunCommand(Mpirun({GYRE_PROBE, "data", "2"}));
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.text,
              testing::HasSubstr("error: rank 2: the file is damaged"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
