// Programs that are wrong about their ranks, in processes and in threads of
// them: each an error that says what is wrong, on all ranks, and soon.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "tests/support/command.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

struct Mistake {
  const char* what;
  int code;
  const char* message;
};

class UnevenRanks : public testing::TestWithParam<Mistake> {};

// All that the ranks have written, with what the launcher does not repeat.
std::string LogsIn(const std::string& folder) {
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto log = ReadFile(entry.path());
    EXPECT_TRUE(log.ok()) << log.status();
    if (log.ok()) text += *log;
  }
  return text;
}

TEST_P(UnevenRanks, AreAnErrorOnAllRanks) {
  for (const int processes : {4, 2, 1}) {
    const TempDir logs;
    const Result result = RunCommand({GYRE_COMMAND,
                                      "launch",
                                      "-n",
                                      "4",
                                      "--processes",
                                      Cat(processes),
                                      "--log-dir",
                                      logs.path(),
                                      "--",
                                      GYRE_PROBE,
                                      GetParam().what,
                                      "1"});
    EXPECT_EQ(result.code, GetParam().code) << result.text;
    EXPECT_THAT(result.text, HasSubstr(GetParam().message));
    const std::string text = LogsIn(logs.path());
    for (int r = 0; r < 4; ++r) {
      EXPECT_THAT(text, HasSubstr(Cat("error: rank ", r, ": ")));
    }
    EXPECT_LT(result.seconds, 10);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Apps,
    UnevenRanks,
    testing::Values(
        Mistake{"mesh_size",
                kExitUsage,
                "mesh data=3 does not fit 4 ranks: the product of its axes "
                "must be 4; change the mesh or launch with another -n"},
        Mistake{"mesh_axis",
                kExitUsage,
                "the mesh has no axis \"dta\"; it has data=2 x model=2"},
        Mistake{"mesh_differs",
                kExitMismatch,
                "ranks disagree on their collective: rank 0 called split"},
        Mistake{"longer", kExitMismatch, "(end of the epoch)"}),
    [](const auto& info) { return std::string(info.param.what); });

}  // namespace
}  // namespace gyre::internal::inline tests
