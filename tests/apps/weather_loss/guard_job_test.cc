// The main job under faults, in micro-batches and in half types.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/monitor/event_log.h"
#include "gyre/monitor/json_lines.h"
#include "gyre/monitor/metrics.h"
#include "tests/support/command.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;
using Arguments = std::vector<std::string>;

Result RunJob(Arguments start, const std::string& out, Arguments more) {
  start.insert(start.begin(), GYRE_COMMAND);
  for (const std::string& word :
       Arguments{"--", "weather_loss", "--data", "synthetic", "--out", out}) {
    start.push_back(word);
  }
  start.insert(start.end(), more.begin(), more.end());
  return RunCommand(start);
}

std::vector<StepMetrics> Metrics(const std::string& out) {
  const auto metrics = ReadMetrics(out + "/metrics.jsonl");
  EXPECT_TRUE(metrics.ok()) << Message(metrics.status());
  return metrics.ok() ? *metrics : std::vector<StepMetrics>();
}

Json Summary(const std::string& out) {
  const auto text = ReadFile(out + "/summary.json");
  EXPECT_TRUE(text.ok()) << Message(text.status());
  const auto json = Json::Parse(text.ok() ? *text : "{}");
  return json.ok() ? *json : Json::Object();
}

TEST(GuardJob, StressCountsEveryFaultAndNothingEscapes) {
  const TempDir dir;
  const Result result = RunJob(
      {"stress", "-n", "2", "--rate", "0.4", "--seed", "5"},
      dir / "run",
      {"--steps", "60", "--max-skips", "60", "--loss", "storm_softplus"});
  ASSERT_EQ(result.code, kExitDone) << result.text;
  EXPECT_THAT(result.text, HasSubstr("buffer that was not finite: 0"));
  const Json summary = Summary(dir / "run");
  const Json* stress = summary.Find("stress");
  ASSERT_NE(stress, nullptr);
  EXPECT_EQ(*stress->GetInt("steps"), 60);
  EXPECT_EQ(*stress->GetInt("escapes"), 0);
  std::int64_t injected = 0;
  for (const Json& row : stress->Find("faults")->elements()) {
    injected += *row.GetInt("injected");
  }
  EXPECT_GT(injected, 10);
  EXPECT_LT(injected, 40);
  // Each is an event of the rank that had it.
  std::int64_t events = 0;
  const auto written = ReadEvents(dir / "run/events.jsonl");
  ASSERT_TRUE(written.ok());
  for (const Event& event : *written) {
    if (event.kind == "injected") events += *event.fields.GetInt("faults");
  }
  EXPECT_EQ(events, injected);
  EXPECT_TRUE(*summary.GetBool("params_finite"));
  EXPECT_TRUE(*summary.GetBool("hashes_equal"));
}

TEST(GuardJob, EveryRankLogsTheSameDecisions) {
  const TempDir dir;
  const Result result = RunJob({"stress", "-n", "2", "--rate", "0.5"},
                               dir / "run",
                               {"--steps", "20", "--max-skips", "20"});
  ASSERT_EQ(result.code, kExitDone) << result.text;
  const auto first = ReadJsonLines(dir / "run/ranks/00000.jsonl");
  const auto second = ReadJsonLines(dir / "run/ranks/00001.jsonl");
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_EQ(first->size(), 20u);
  ASSERT_EQ(second->size(), 20u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(*(*first)[i].GetString("decision"),
              *(*second)[i].GetString("decision"));
  }
}

// The loss curve in bf16 is that of f32 within 2%, by means of ten steps.
TEST(GuardJob, Bf16FollowsTheCurveOfF32) {
  const TempDir dir;
  const Arguments common = {"--steps", "100", "--loss", "storm_softplus"};
  for (const char* precision : {"f32", "bf16"}) {
    Arguments more = common;
    more.insert(more.end(), {"--precision", precision});
    const Result result = RunJob({"launch", "-n", "2"}, dir / precision, more);
    ASSERT_EQ(result.code, kExitDone) << result.text;
  }
  const std::vector<StepMetrics> wide = Metrics(dir / "f32");
  const std::vector<StepMetrics> half = Metrics(dir / "bf16");
  ASSERT_EQ(wide.size(), 100u);
  ASSERT_EQ(half.size(), 100u);
  for (int begin = 0; begin < 100; begin += 10) {
    double w = 0, h = 0;
    for (int i = begin; i < begin + 10; ++i) {
      w += wide[i].loss;
      h += half[i].loss;
    }
    EXPECT_NEAR(h / w, 1, 0.02) << begin;
  }
}

TEST(GuardJob, MicroBatchesTakeTheSameSteps) {
  const TempDir dir;
  const Arguments common = {
      "--steps", "20", "--batch", "8", "--loss", "storm_softplus"};
  for (const char* parts : {"1", "4"}) {
    Arguments more = common;
    more.insert(more.end(), {"--micro-batches", parts});
    const Result result = RunJob({"launch", "-n", "2"}, dir / parts, more);
    ASSERT_EQ(result.code, kExitDone) << result.text;
    EXPECT_THAT(result.text, HasSubstr("plans compiled: 1"));
  }
  // Not the same numbers: the storm term is a mean of each part.
  const std::vector<StepMetrics> whole = Metrics(dir / "1");
  const std::vector<StepMetrics> cut = Metrics(dir / "4");
  ASSERT_EQ(whole.size(), 20u);
  ASSERT_EQ(cut.size(), 20u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(cut[i].applied);
    EXPECT_NEAR(cut[i].loss / whole[i].loss, 1, 0.2) << i;
  }
}

}  // namespace
}  // namespace gyre::weather
