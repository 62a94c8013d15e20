// `gyre rewind`, as a person uses it: on the storm, and on a program that
// knows nothing of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/monitor/event_log.h"
#include "gyre/monitor/metrics.h"
#include "tests/apps/weather_loss/job_run.h"
#include "tests/support/command.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;

Result TrainRewindJob(int ranks,
                      const std::string& out,
                      const Arguments& more) {
  return RunCommand(LaunchJob(ranks, Data(), out, more));
}

Result Rewind(const std::string& run, Arguments more) {
  Arguments all = {GYRE_COMMAND, "rewind", run};
  all.insert(all.end(), more.begin(), more.end());
  return RunCommand(all);
}

std::string StateOf(const Event& event) {
  return *event.fields.GetString("state");
}

class RewindJob : public testing::Test {
 protected:
  const TempDir dir_;
  const std::string run_ = dir_ / "run";
  const std::string out_ = dir_ / "again";
};

TEST_F(RewindJob, WithNothingChangedAllComesOutToTheSameBits) {
  const Result first =
      TrainRewindJob(2, run_, {"--steps", "40", "--checkpoint-every", "12"});
  ASSERT_EQ(first.code, kExitDone) << first.text;
  const Result again = Rewind(run_, {"--before-spike", "30", "--out", out_});
  ASSERT_EQ(again.code, kExitDone) << again.text;
  EXPECT_THAT(again.text, HasSubstr("step-00000024"));
  EXPECT_THAT(again.text,
              HasSubstr("6 steps from step 24 on came out as in the "
                        "original, to the bit"));
  EXPECT_EQ(HashOf(out_), HashOf(run_));
  const auto told = EventsOfKind(out_, "rewind");
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(StateOf(told[0]), "begun");
  EXPECT_EQ(StateOf(told[1]), "verified");
  const Json run = *Json::Parse(*ReadFile(out_ + "/run.json"));
  EXPECT_EQ(*run.Find("rewind")->GetInt("step"), 24);
  EXPECT_EQ(*run.GetString("program"), "weather_loss");
  // What it was rewound from is as it was.
  EXPECT_EQ(EventsOfKind(run_, "rewind").size(), 0u);
}

// The storm's own NaN: its sample is found, left out, and the step is good.
TEST_F(RewindJob, TheSampleOfTheCauseIsLeftOutAndTheStepIsGood) {
  const Result first = TrainRewindJob(4, run_, {"--steps", "12"});
  ASSERT_EQ(first.code, kExitDone) << first.text;
  const auto skips = EventsOfKind(run_, "skip");
  if (skips.empty()) GTEST_SKIP() << "these data skip nothing so early";
  const std::int64_t step = skips[0].step;
  const Result again = Rewind(run_,
                              {"--before-spike",
                               Cat(step),
                               "--skip-samples",
                               "auto",
                               "--from-start",
                               "--out",
                               out_});
  ASSERT_EQ(again.code, kExitDone) << again.text;
  EXPECT_THAT(again.text, HasSubstr("named by the first causes"));
  const auto told = EventsOfKind(out_, "rewind");
  ASSERT_GE(told.size(), 1u);
  const std::vector<Json>& out = told[0].fields.Find("left_out")->elements();
  ASSERT_EQ(out.size(), 1u);
  const std::vector<Json>& bad = skips[0].fields.Find("samples")->elements();
  EXPECT_NE(std::find(bad.begin(), bad.end(), out[0]), bad.end());
  EXPECT_EQ(told[0].fields.Find("first_changed")->Dump(), Cat(step));
  EXPECT_EQ(StateOf(told.back()), "verified");
  for (const Event& skip : EventsOfKind(out_, "skip")) {
    EXPECT_NE(skip.step, step);
  }
}

TEST_F(RewindJob, SaysWhatCannotBeDone) {
  const Result first = TrainRewindJob(
      2,
      run_,
      {"--steps", "20", "--checkpoint-every", "8", "--loss", "storm_softplus"});
  ASSERT_EQ(first.code, kExitDone) << first.text;
  const struct {
    Arguments arguments;
    int code;
    const char* message;
  } kMistakes[] = {
      {{}, kExitUsage, "needs --before-spike N"},
      {{"--before-spike", "400"}, kExitUsage, "the last step of"},
      {{"--before-spike", "5"}, kExitCheckpoint, "no good checkpoint"},
      {{"--before-spike", "12", "--skip-samples", "9999"},
       kExitUsage,
       "there is no sample 9999 to leave out"},
      {{"--before-spike", "12", "--skip-samples", "auto"},
       kExitUsage,
       "names a sample"},
      {{"--before-spike", "12", "--program", "/no/such"},
       kExitUsage,
       "is not there any more"},
  };
  for (const auto& mistake : kMistakes) {
    Arguments arguments = mistake.arguments;
    arguments.insert(arguments.begin(), {"--out", out_});
    const Result result = Rewind(run_, arguments);
    EXPECT_EQ(result.code, mistake.code) << result.text;
    EXPECT_THAT(result.text, HasSubstr(mistake.message));
  }
  // A loss that was recorded otherwise is another trajectory.
  std::string metrics = *ReadFile(run_ + "/metrics.jsonl");
  const std::size_t line = metrics.find("{\"step\":10,\"loss\":");
  ASSERT_NE(line, std::string::npos);
  metrics.replace(line, 18, "{\"step\":10,\"loss\":1");
  ASSERT_TRUE(WriteFileAtomically(run_ + "/metrics.jsonl", metrics).ok());
  const Result other = Rewind(run_, {"--before-spike", "12", "--out", out_});
  EXPECT_EQ(other.code, kExitMismatch) << other.text;
  EXPECT_THAT(other.text, HasSubstr("step 10 has loss"));
  EXPECT_EQ(StateOf(EventsOfKind(out_, "rewind").back()), "diverged");
  const Result more = Rewind(
      run_, {"--before-spike", "12", "--out", out_, "--", "--lr", "0.001"});
  EXPECT_EQ(more.code, kExitDone) << more.text;
}

TEST_F(RewindJob, AProgramThatKnowsNothingOfItIsRewoundToo) {
  const std::string program =
      std::string(GYRE_COMMAND).substr(0, sizeof(GYRE_COMMAND) - 5) +
      "first_program";
  ASSERT_TRUE(FileExists(program)) << program;
  const Result first = RunCommand(
      {"/bin/sh", "-c", "cd '" + dir_.path() + "' && '" + program + "'"});
  ASSERT_EQ(first.code, kExitDone) << first.text;
  const std::string run = dir_ / "runs/first";
  const Result again = Rewind(run,
                              {"--before-spike",
                               "60",
                               "--from-start",
                               "--skip-samples",
                               "200,3",
                               "--out",
                               out_});
  ASSERT_EQ(again.code, kExitDone) << again.text;
  const auto told = EventsOfKind(out_, "rewind");
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(StateOf(told[1]), "verified");
  EXPECT_EQ(told[0].fields.Find("left_out")->Dump(), "[200,3]");
  const auto now = *ReadMetrics(out_ + "/metrics.jsonl");
  const auto then = *ReadMetrics(run + "/metrics.jsonl");
  ASSERT_EQ(now.size(), then.size());
  const std::int64_t changed = *told[0].fields.GetInt("first_changed");
  for (std::int64_t i = 0; i < changed; ++i) {
    EXPECT_EQ(now[i].loss, then[i].loss);
  }
  EXPECT_NE(now[changed].loss, then[changed].loss);
}

}  // namespace
}  // namespace gyre::weather
