// The main job, as a person runs it: real processes, real data, real kills.

#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "apps/weather_loss/storm_data.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/monitor/event_log.h"
#include "gyre/monitor/metrics.h"
#include "tests/apps/weather_loss/job_run.h"
#include "tests/support/command.h"
#include "tests/support/some_rank.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;

Arguments Launch(int ranks, const std::string& out, const Arguments& more) {
  return LaunchJob(ranks, Data(), out, more);
}

std::vector<double> Losses(const std::string& out) {
  std::vector<double> losses;
  const auto metrics = ReadMetrics(out + "/metrics.jsonl");
  EXPECT_TRUE(metrics.ok()) << Message(metrics.status());
  if (!metrics.ok()) return losses;
  for (const StepMetrics& m : *metrics) losses.push_back(m.loss);
  return losses;
}

TEST(Job, TheStormLossIsSkippedNaturallyAndEveryParameterStaysFinite) {
  const TempDir dir;
  const Result result = RunCommand(Launch(4, dir / "run", {"--steps", "60"}));
  ASSERT_EQ(result.code, kExitDone) << result.text;
  EXPECT_THAT(result.text, HasSubstr("plans compiled: 1"));
  const Json summary = Summary(dir / "run");
  EXPECT_TRUE(*summary.GetBool("params_finite"));
  EXPECT_TRUE(*summary.GetBool("hashes_equal"));
  EXPECT_FALSE(*summary.GetBool("unguarded"));
  EXPECT_EQ(*summary.GetInt("plans"), 1);
  EXPECT_EQ(*summary.GetInt("world"), 4);
  EXPECT_EQ(*summary.GetInt("attempted"), 60);
  EXPECT_EQ(*summary.GetInt("applied") + *summary.GetInt("skipped"), 60);
  const auto skips = EventsOfKind(dir / "run", "skip");
  EXPECT_EQ(static_cast<std::int64_t>(skips.size()),
            *summary.GetInt("skipped"));
  if (Data() != "synthetic") {
    ASSERT_FALSE(skips.empty());
    EXPECT_FALSE(skips[0].fields.Find("tensors")->elements().empty());
    EXPECT_EQ(skips[0].fields.GetString("loss").value(), "NaN");
  }
}

TEST(Job, ObserveEndsNonFiniteAndSaysSoLoudly) {
  if (Data() == "synthetic") GTEST_SKIP() << "no libncarg-data";
  const TempDir dir;
  const Result result = RunCommand(
      Launch(4, dir / "run", {"--steps", "30", "--guard", "observe"}));
  ASSERT_EQ(result.code, kExitDone) << result.text;
  EXPECT_THAT(result.text, HasSubstr("this run is unguarded"));
  EXPECT_THAT(result.text, HasSubstr("NOT FINITE"));
  const Json summary = Summary(dir / "run");
  EXPECT_FALSE(*summary.GetBool("params_finite"));
  EXPECT_TRUE(*summary.GetBool("unguarded"));
  EXPECT_FALSE(FileExists(dir / "run/checkpoints/last-good"));
}

TEST(Job, SoftplusSkipsNothing) {
  const TempDir dir;
  const Result result = RunCommand(
      Launch(2, dir / "run", {"--steps", "60", "--loss", "storm_softplus"}));
  ASSERT_EQ(result.code, kExitDone) << result.text;
  EXPECT_EQ(*Summary(dir / "run").GetInt("skipped"), 0);
  EXPECT_TRUE(Summary(dir / "run").Find("first_skip")->is_null());
}

TEST(Job, AnInjectedNaNOnOneRankSkipsOneStepOnAll) {
  const TempDir dir;
  const Result result =
      RunCommand(Launch(4,
                        dir / "run",
                        {"--steps",
                         "20",
                         "--loss",
                         "storm_softplus",
                         "--inject",
                         "nan_grad@rank=2,step=7,tensor=head.w"}));
  ASSERT_EQ(result.code, kExitDone) << result.text;
  const Json summary = Summary(dir / "run");
  EXPECT_EQ(*summary.GetInt("skipped"), 1);
  EXPECT_TRUE(*summary.GetBool("hashes_equal"));
  const Json& first = *summary.Find("first_skip");
  EXPECT_EQ(*first.GetInt("step"), 7);
  EXPECT_EQ(first.Find("ranks")->Dump(), "[2]");
  EXPECT_EQ(first.Find("tensors")->Dump(), "[\"head.w\"]");
  EXPECT_EQ(first.Find("samples")->elements().size(), 1u);
  EXPECT_EQ(EventsOfKind(dir / "run", "injected").size(), 1u);
}

TEST(Job, EveryWorldIsBitEqualToItselfAndCloseToTheOthers) {
  const TempDir dir;
  const Arguments options = {"--steps", "50", "--loss", "storm_softplus"};
  std::vector<double> one;
  for (const int ranks : {1, 2, 4}) {
    std::string hashes[2];
    for (int i = 0; i < 2; ++i) {
      const std::string out = dir / Cat("run", ranks, "-", i);
      const Result result = RunCommand(Launch(ranks, out, options));
      ASSERT_EQ(result.code, kExitDone) << result.text;
      hashes[i] = *Summary(out).GetString("param_hash");
      const std::vector<double> losses = Losses(out);
      ASSERT_EQ(losses.size(), 50u);
      if (one.empty()) one = losses;
      for (int k = 0; k < 50; ++k) {
        EXPECT_NEAR(losses[k], one[k], 1e-4 * one[k]) << ranks << " ranks";
      }
    }
    EXPECT_EQ(hashes[0], hashes[1]) << ranks << " ranks";
  }
}

TEST(Job, AResumedRunEndsOnTheSameBits) {
  const TempDir dir;
  const auto run = [&](const std::string& name, Arguments more) {
    more.insert(more.end(), {"--steps", "30", "--loss", "storm_softplus"});
    const Result result = RunCommand(Launch(2, dir / name, more));
    EXPECT_EQ(result.code, kExitDone) << result.text;
    return *Summary(dir / name).GetString("param_hash");
  };
  const std::string whole = run("whole", {"--checkpoint-every", "18"});
  const std::string middle = dir / "whole/checkpoints/step-00000018";
  EXPECT_EQ(run("second", {"--resume", middle}), whole);
}

TEST(Job, AKilledRankEndsTheRunWithItsName) {
  const TempDir dir;
  Command job(Launch(4, dir / "run", {"--steps", "1000000"}));
  ASSERT_TRUE(job.WaitFor("step 1/"));
  const pid_t child = SomeRank(job.pid(), "weather_loss");
  ASSERT_GT(child, 0);
  const Stopwatch clock;
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  const Result result = job.Finish();
  EXPECT_LT(clock.Seconds(), 2.0);
  EXPECT_EQ(result.code, kExitPeer) << result.text;
  EXPECT_THAT(result.text, HasSubstr("was killed by signal 9"));
  EXPECT_THAT(result.text, testing::ContainsRegex("rank [0-3] is lost"));
}

TEST(Job, ARestartedRunEndsOnTheSameBits) {
  const TempDir dir;
  const Arguments options = {
      "--steps", "100", "--loss", "storm_softplus", "--checkpoint-every", "20"};
  const Result whole = RunCommand(Launch(2, dir / "whole", options));
  ASSERT_EQ(whole.code, kExitDone) << whole.text;
  Arguments again = Launch(2, dir / "again", options);
  again.insert(again.begin() + 2, {"--max-restarts", "3"});
  Command job(again);
  // Killed somewhere between the checkpoint at 60 and the end.
  const std::string manifest =
      dir / "again/checkpoints/step-00000060/manifest.json";
  for (const Stopwatch clock; clock.Seconds() < 60 && !FileExists(manifest);) {
    ::usleep(1000);
  }
  ASSERT_EQ(::kill(SomeRank(job.pid(), "weather_loss"), SIGKILL), 0);
  const Result result = job.Finish();
  ASSERT_EQ(result.code, kExitDone) << result.text;
  EXPECT_THAT(result.text, HasSubstr("restart 1 of 3"));
  EXPECT_EQ(*Summary(dir / "again").GetString("param_hash"),
            *Summary(dir / "whole").GetString("param_hash"));
  EXPECT_EQ(*Summary(dir / "again").GetInt("attempted"), 100);
  ASSERT_EQ(EventsOfKind(dir / "again", "resume").size(), 1u);
  EXPECT_GE(EventsOfKind(dir / "again", "resume")[0].step, 60);
}

TEST(Job, ASignalToOneRankEndsAllAfterACheckpoint) {
  const TempDir dir;
  Command job(Launch(3, dir / "run", {"--steps", "1000000", "--batch", "3"}));
  ASSERT_TRUE(job.WaitFor("step 1/"));
  ASSERT_EQ(::kill(SomeRank(job.pid(), "weather_loss"), SIGTERM), 0);
  const Result result = job.Finish();
  EXPECT_EQ(result.code, 128 + SIGTERM) << result.text;
  EXPECT_THAT(result.text, HasSubstr("resume from"));
  const auto checkpoints = EventsOfKind(dir / "run", "checkpoint");
  ASSERT_EQ(checkpoints.size(), 1u);
  const std::string steps = Cat(checkpoints[0].step + 2);
  const Result more = RunCommand(
      Launch(3,
             dir / "run",
             {"--batch", "3", "--resume", dir / "run", "--steps", steps}));
  EXPECT_EQ(more.code, kExitDone) << more.text;
  EXPECT_EQ(*Summary(dir / "run").GetInt("attempted"), checkpoints[0].step + 2);
}

// What a person gets wrong, the exit code, and a part of the message.
struct Mistake {
  const char* name;
  int ranks;
  Arguments arguments;
  int code;
  const char* message;
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamed) {
  const TempDir dir;
  const Result result =
      RunCommand(Launch(GetParam().ranks, dir / "run", GetParam().arguments));
  EXPECT_EQ(result.code, GetParam().code) << result.text;
  EXPECT_THAT(result.text, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Job,
    Mistakes,
    testing::Values(
        Mistake{"data",
                2,
                {"--data", "/nonexistent"},
                kExitData,
                "expected the storm data"},
        Mistake{"batch",
                4,
                {"--batch", "6"},
                kExitUsage,
                "a batch of 6 cannot be split over 4 ranks"},
        Mistake{
            "flag", 1, {"--stes", "5"}, kExitUsage, "did you mean --steps?"},
        Mistake{"number", 1, {"--lr", "fast"}, kExitUsage, "flag --lr"},
        Mistake{"run_directory",
                2,
                {"--out", "/proc/nowhere"},
                kExitUsage,
                "/proc/nowhere"},
        Mistake{"resume",
                2,
                {"--resume", "/nonexistent"},
                kExitCheckpoint,
                "is no checkpoint"},
        Mistake{"inject",
                2,
                {"--inject", "nan_grad@rank=7,step=1"},
                kExitUsage,
                "rank 7 is not one of the 2 ranks"},
        Mistake{"kernel",
                1,
                {"--kernel", "4"},
                kExitUsage,
                "--kernel must be odd"}),
    [](const auto& info) { return info.param.name; });

TEST(Job, ATruncatedFileAndADamagedCheckpointAreRefused) {
  if (Data() == "synthetic") GTEST_SKIP() << "no libncarg-data";
  const TempDir dir;
  ASSERT_TRUE(CreateDirectories(dir / "data").ok());
  for (const char* name : {"P", "T", "U", "V", "U500", "V500"}) {
    const std::string file = Cat(name, "storm.cdf");
    std::string bytes = *ReadFile(Cat(kStormFolder, "/", file));
    if (file == "Ustorm.cdf") bytes.resize(100'000);
    ASSERT_TRUE(WriteFileAtomically(dir / ("data/" + file), bytes).ok());
  }
  const Result cut = RunCommand(Launch(1, dir / "a", {"--data", dir / "data"}));
  EXPECT_EQ(cut.code, kExitData) << cut.text;
  EXPECT_THAT(cut.text, HasSubstr("Ustorm.cdf is cut short"));

  ASSERT_EQ(RunCommand(Launch(1, dir / "b", {"--steps", "3"})).code, 0);
  const std::string state =
      dir / "b/checkpoints/latest/state-00000.safetensors";
  std::string bytes = *ReadFile(state);
  bytes.back() ^= 1;
  ASSERT_TRUE(WriteFileAtomically(state, bytes).ok());
  const Result damaged =
      RunCommand(Launch(1, dir / "c", {"--steps", "6", "--resume", dir / "b"}));
  EXPECT_EQ(damaged.code, kExitCheckpoint) << damaged.text;
  EXPECT_THAT(damaged.text, HasSubstr("is damaged"));
}

TEST(Job, AnExhaustedBudgetHasItsOwnExitCode) {
  if (Data() == "synthetic") GTEST_SKIP() << "no libncarg-data";
  const TempDir dir;
  const Result result =
      RunCommand(Launch(2, dir / "run", {"--steps", "30", "--guard", "halt"}));
  EXPECT_EQ(result.code, kExitGuard) << result.text;
  EXPECT_EQ(EventsOfKind(dir / "run", "halt").size(), 1u);
}

}  // namespace
}  // namespace gyre::weather
