// What a real run leaves, and what the commands make of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/monitor/json_lines.h"
#include "tests/support/command.h"
#include "tests/support/some_rank.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;
using ArgumentsRecords = std::vector<std::string>;

ArgumentsRecords LaunchRecords(const std::string& out, ArgumentsRecords more) {
  ArgumentsRecords all = {GYRE_COMMAND,
                          "launch",
                          "-n",
                          "2",
                          "--",
                          "weather_loss",
                          "--data",
                          "synthetic",
                          "--loss",
                          "mse",
                          "--out",
                          out};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Json Doctor(const std::string& run) {
  const Result result = RunCommand({GYRE_COMMAND, "doctor", run, "--json"});
  EXPECT_EQ(result.code, 0) << result.text;
  const auto json = Json::Parse(result.text.substr(result.text.find('{')));
  EXPECT_TRUE(json.ok()) << result.text;
  return json.ok() ? *json : Json::Object();
}

std::string StandingOf(const Json& diagnosis, const std::string& name) {
  for (const Json& family : diagnosis.Find("families")->elements()) {
    if (*family.GetString("family") == name) {
      return *family.GetString("standing");
    }
  }
  return "";
}

std::string FirstSymptom(const Json& diagnosis) {
  return *diagnosis.Find("symptoms")->elements().at(0).GetString("name");
}

TEST(Records, OfARunWithAFaultAreReadByEveryCommand) {
  const TempDir dir;
  const std::string run = dir / "run";
  const Result job = RunCommand(LaunchRecords(
      run, {"--steps", "60", "--inject", "nan_grad@rank=1,step=20"}));
  ASSERT_EQ(job.code, 0) << job.text;

  const Result spikes = RunCommand({GYRE_COMMAND, "spikes", run, "--json"});
  ASSERT_EQ(spikes.code, 0) << spikes.text;
  const auto list = Json::Parse(spikes.text);
  ASSERT_TRUE(list.ok() && list->elements().size() == 1) << spikes.text;
  EXPECT_EQ(*list->elements()[0].GetInt("first_step"), 20);
  EXPECT_EQ(*list->elements()[0].GetString("class"), "transient");
  EXPECT_THAT(*list->elements()[0].GetString("cause"),
              HasSubstr("injected at step 20"));

  const Json diagnosis = Doctor(run);
  EXPECT_EQ(FirstSymptom(diagnosis), "bad_numbers");
  EXPECT_EQ(StandingOf(diagnosis, "data"), "excluded");
  EXPECT_EQ(StandingOf(diagnosis, "numerics"), "excluded");
  EXPECT_EQ(StandingOf(diagnosis, "distributed state"), "excluded");

  ASSERT_EQ(RunCommand({GYRE_COMMAND, "report", run}).code, 0);
  EXPECT_THAT(*ReadFile(run + "/report.html"), HasSubstr("transient"));
  ASSERT_EQ(RunCommand({GYRE_COMMAND, "trace", run}).code, 0);
  EXPECT_TRUE(Json::Parse(*ReadFile(run + "/trace.json")).ok());
  const Result inspect =
      RunCommand({GYRE_COMMAND, "inspect", run + "/checkpoints/last-good"});
  EXPECT_EQ(inspect.code, 0);
  EXPECT_THAT(inspect.text, HasSubstr("problems: none"));
  const Result same = RunCommand({GYRE_COMMAND, "inspect", run, run});
  EXPECT_THAT(same.text, HasSubstr("same: true"));

  // Of the bad step, on each rank: all that led up to it.
  for (const char* rank : {"00000", "00001"}) {
    const auto flight = ReadJsonLines(run + "/flight/" + rank + ".jsonl");
    ASSERT_TRUE(flight.ok()) << flight.status();
    // A head, 21 steps, and as many reductions.
    ASSERT_EQ(flight->size(), 43u);
    EXPECT_EQ(*(*flight)[21].GetInt("step"), 20);
    EXPECT_FALSE(*(*flight)[21].GetBool("applied"));
    EXPECT_EQ(*flight->back().GetString("label"), "gradients");
    EXPECT_GT(*flight->back().GetInt("leave_ns"),
              *flight->back().GetInt("enter_ns"));
    EXPECT_NE(flight->back().Find("last_rank"), nullptr);
  }
}

TEST(Records, OfARunThatTheGuardHaltedNameTheFault) {
  const TempDir dir;
  const std::string run = dir / "run";
  const Result job = RunCommand(LaunchRecords(run,
                                              {"--steps",
                                               "60",
                                               "--guard",
                                               "halt",
                                               "--inject",
                                               "nan_grad@rank=1,step=20"}));
  ASSERT_EQ(job.code, kExitGuard) << job.text;
  const Json diagnosis = Doctor(run);
  EXPECT_EQ(FirstSymptom(diagnosis), "bad_numbers");
  EXPECT_THAT(*ReadFile(run + "/events.jsonl"),
              HasSubstr("\"kind\":\"error\",\"error\":\"guard\""));
}

TEST(Records, OfARankThatWasKilledPointToItsMachine) {
  const TempDir dir;
  const std::string run = dir / "run";
  Command job(LaunchRecords(run, {"--steps", "1000000"}));
  ASSERT_TRUE(job.WaitFor("step 1/"));
  const pid_t rank = SomeRank(job.pid(), "weather_loss");
  ASSERT_GT(rank, 0);
  ASSERT_EQ(::kill(rank, SIGKILL), 0);
  ASSERT_EQ(job.Finish().code, kExitPeer);
  const Json diagnosis = Doctor(run);
  EXPECT_EQ(FirstSymptom(diagnosis), "lost_rank");
  EXPECT_EQ(StandingOf(diagnosis, "hardware"), "supported");
  EXPECT_EQ(StandingOf(diagnosis, "numerics"), "excluded");
}

TEST(Records, OfRunsThatNeverStartedAreAMismatch) {
  const TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "run.json", "{}").ok());
  EXPECT_EQ(FirstSymptom(Doctor(dir.path())), "no_step");
}

}  // namespace
}  // namespace gyre::weather
