#include "apps/runtime/run_main.h"

#include <gtest/gtest.h>

#include <string>

#include "core/exit_code.h"

namespace gyre {
namespace {

WorldOptions NoLauncher() {
  WorldOptions options;
  options.env = [](const std::string&) { return std::nullopt; };
  return options;
}

TEST(RunMainTest, TheBodyRunsInAWorldOfOne) {
  int size = 0;
  const int code = RunMain(
      [&](World& world) {
        size = world.size();
        return OkStatus();
      },
      NoLauncher());
  EXPECT_EQ(code, kExitDone);
  EXPECT_EQ(size, 1);
}

TEST(RunMainTest, AnErrorIsPrintedOnceAndGivesItsCode) {
  testing::internal::CaptureStderr();
  const int code = RunMain(
      [](World&) { return DataError("no file x: give another --data"); },
      NoLauncher());
  EXPECT_EQ(code, kExitData);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "error: no file x: give another --data\n");
}

TEST(RunMainTest, ABrokenEnvironmentIsAUsageErrorAndTheBodyDoesNotRun) {
  WorldOptions options;
  options.env = [](const std::string& name) -> std::optional<std::string> {
    if (name == "GYRE_RANK") return "0";
    return std::nullopt;
  };
  bool ran = false;
  testing::internal::CaptureStderr();
  const int code = RunMain(
      [&](World&) {
        ran = true;
        return OkStatus();
      },
      options);
  EXPECT_EQ(code, kExitUsage);
  EXPECT_FALSE(ran);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("GYRE_RANK"), std::string::npos) << text;
}

TEST(RunMainTest, ReportNamesTheRankWhenThereAreSeveral) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(ReportError(GuardError("10 skips"), 2, 4), kExitGuard);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "error: rank 2: 10 skips\n");
}

}  // namespace
}  // namespace gyre
