// Open MPI's mpirun itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/command.h"

namespace gyre {
namespace {

constexpr char kMpirun[] = "/usr/bin/mpirun.openmpi";

TEST(MpirunLaunchTest, ProcessesAreRanks) {
  if (::access(kMpirun, X_OK) != 0) GTEST_SKIP() << "no " << kMpirun;
  const Result result = RunCommand({kMpirun,
                                    "--allow-run-as-root",
                                    "--oversubscribe",
                                    "-n",
                                    "4",
                                    GYRE_PROBE,
                                    "whoami"});
  EXPECT_EQ(result.code, 0) << result.text;
  for (int r = 0; r < 4; ++r) {
    EXPECT_THAT(
        result.text,
        testing::HasSubstr(
            Cat("Open MPI: ", r, " of 4, local ", r, " of 4, at 127.0.0.1:")));
  }
}

}  // namespace
}  // namespace gyre
