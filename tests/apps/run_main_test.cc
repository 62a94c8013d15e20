#include "gyre/runtime/run_main.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "gyre/core/exit_code.h"

namespace gyre::internal::inline tests {
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

// Four ranks, all of this process.
WorldOptions FourHosted() {
  WorldOptions options;
  options.env = [](const std::string& name) -> std::optional<std::string> {
    if (name == "GYRE_RANK") return "0";
    if (name == "GYRE_WORLD_SIZE") return "4";
    if (name == "GYRE_PROCESS_RANKS") return "4";
    if (name == "GYRE_RUN_TOKEN") return "token";
    if (name == "GYRE_COORDINATOR") return "unused:1";
    return std::nullopt;
  };
  return options;
}

Status Meet(World& world) { return world.comm().Barrier({.label = "meeting"}); }

TEST(RunMainTest, TheBodyRunsOnceForEachRankOfTheProcess) {
  std::atomic<int> ranks{0};
  std::atomic<int> own_threads{0};
  const auto main = std::this_thread::get_id();
  const int code = RunMain(
      [&](World& world) -> Status {
        ranks += 1 << (4 * world.rank());
        own_threads += std::this_thread::get_id() != main;
        if (world.comm().backend() != "local" || world.size() != 4) {
          return InternalError("another world");
        }
        return Meet(world);
      },
      FourHosted());
  EXPECT_EQ(code, kExitDone);
  EXPECT_EQ(ranks, 0x1111);
  EXPECT_EQ(own_threads, 4);
}

TEST(RunMainTest, AnErrorOfOneRankEndsAllAndGivesTheCode) {
  testing::internal::CaptureStderr();
  const int code = RunMain(
      [](World& world) -> Status {
        if (world.rank() == 2) return DataError("damaged");
        return Meet(world);
      },
      FourHosted());
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, kExitData);
  EXPECT_NE(text.find("error: rank 2: damaged\n"), std::string::npos) << text;
  for (const int rank : {0, 1, 3}) {
    EXPECT_NE(text.find(Cat("error: rank ", rank, ": rank 2 gave up: damaged")),
              std::string::npos)
        << text;
  }
}

TEST(RunMainTest, ARankThatNeverEndsEndsWithTheProcess) {
  const auto run = [] {
    std::exit(RunMain(
        [](World& world) -> Status {
          if (world.rank() == 1) return DataError("damaged");
          if (world.rank() > 1)
            std::this_thread::sleep_for(std::chrono::seconds(60));
          return Meet(world);
        },
        FourHosted()));
  };
  EXPECT_EXIT(run(),
              testing::ExitedWithCode(kExitData),
              "ranks 2 and 3 have not ended within 2 s");
}

TEST(RunMainTest, ReportNamesTheRankWhenThereAreSeveral) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(ReportError(GuardError("10 skips"), 2, 4), kExitGuard);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "error: rank 2: 10 skips\n");
}

}  // namespace
}  // namespace gyre::internal::inline tests
