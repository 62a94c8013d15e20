// A bad step of a real run, kept and run again as a person would do it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "apps/weather_loss/storm_data.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/monitor/json_lines.h"
#include "tests/support/command.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;
using ArgumentsReplay = std::vector<std::string>;

Result TrainReplay(const std::string& out, ArgumentsReplay more) {
  ArgumentsReplay all = {GYRE_COMMAND, "launch", "-n", "2", "--"};
  all.insert(all.end(), {"weather_loss", "--out", out});
  all.insert(all.end(), more.begin(), more.end());
  return RunCommand(all);
}

Result Replay(ArgumentsReplay more) {
  more.insert(more.begin(), {GYRE_COMMAND, "replay"});
  return RunCommand(more);
}

// A short run with a fault that is made on purpose.
ArgumentsReplay Injected() {
  return {"--data",
          "synthetic",
          "--loss",
          "mse",
          "--hidden",
          "4",
          "--steps",
          "6",
          "--inject",
          "nan_grad@rank=1,step=2"};
}

// Every file below a folder, by name.
std::map<std::string, std::string> Snapshot(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().string()] = *ReadFile(entry.path().string());
  }
  return files;
}

const Json& ChangeNamed(const Json& report, const std::string& name) {
  static const Json none;
  for (const Json& change : report.Find("changes")->elements()) {
    if (*change.GetString("change") == name) return change;
  }
  ADD_FAILURE() << "no change " << name;
  return none;
}

TEST(Replay, TheStormsOwnNanIsTheSameAgainAndOnlyTheOtherLossCuresIt) {
  if (!FileExists(Cat(kStormFolder, "/Pstorm.cdf"))) {
    GTEST_SKIP() << "libncarg-data is not installed";
  }
  const TempDir dir;
  const std::string run = dir / "run";
  ASSERT_EQ(TrainReplay(run, {"--steps", "40"}).code, 0);
  const auto events = ReadJsonLines(run + "/events.jsonl");
  ASSERT_TRUE(events.ok());
  std::string step;
  for (const Json& event : *events) {
    if (*event.GetString("kind") != "capture") continue;
    step = std::to_string(*event.GetInt("step"));
    break;
  }
  ASSERT_FALSE(step.empty()) << "no step was bad by itself";
  const auto before = Snapshot(run);
  const Result result = Replay({run,
                                "--step",
                                step,
                                "--all",
                                "--json",
                                "--",
                                "--loss",
                                "storm_softplus"});
  ASSERT_EQ(result.code, 0) << result.text;
  EXPECT_EQ(Snapshot(run), before);
  const auto report = Json::Parse(result.text.substr(result.text.find('{')));
  ASSERT_TRUE(report.ok()) << result.text;
  EXPECT_TRUE(*report->GetBool("same")) << result.text;
  EXPECT_EQ(*report->GetInt("world"), 2);
  for (const char* name : {"none",
                           "--precision f64",
                           "--kernels reference",
                           "--ranks 1",
                           "--jit off"}) {
    const Json& change = ChangeNamed(*report, name);
    SCOPED_TRACE(change.Pretty());
    ASSERT_TRUE(*change.GetBool("ran"));
    EXPECT_TRUE(*change.GetBool("bad"));
    const std::string cause = *change.GetString("first_cause");
    EXPECT_THAT(cause, HasSubstr("log (forward) at losses.cc:"));
    EXPECT_THAT(cause, HasSubstr("sample t="));
  }
  const Json& cured = ChangeNamed(*report, "-- --loss storm_softplus");
  ASSERT_TRUE(*cured.GetBool("ran")) << cured.Pretty();
  EXPECT_FALSE(*cured.GetBool("bad")) << cured.Pretty();
  EXPECT_EQ(report->Find("removed_by")->elements().size(), 1u);
}

TEST(Replay, OfAnInjectedFaultSaysWhatStaysAndTheWrongStepsAreErrors) {
  const TempDir dir;
  const std::string run = dir / "run";
  ASSERT_EQ(TrainReplay(run, Injected()).code, 0);
  // The only one that was kept need not be named.
  const Result plain = Replay({run, "--plain"});
  EXPECT_EQ(plain.code, 0) << plain.text;
  EXPECT_THAT(plain.text, HasSubstr("the same bits on all 2 ranks"));

  const Result clean = Replay({run, "--step", "3"});
  EXPECT_EQ(clean.code, kExitUsage);
  EXPECT_THAT(clean.text, HasSubstr("Kept are: step-00000002"));
  const Result none = Replay({dir / "no_run", "--step", "2"});
  EXPECT_EQ(none.code, kExitUsage);
  EXPECT_THAT(none.text, HasSubstr("expected a run directory"));

  // A fault that is not made is no fault.
  const Result cured = Replay({run, "--step", "2", "--", "--inject", ""});
  EXPECT_EQ(cured.code, 0) << cured.text;
  EXPECT_THAT(cured.text, HasSubstr("disappears with: -- --inject"));

  const std::string folder = run + "/evidence/step-00000002";
  const Result same = Replay({"--diff", folder, folder});
  EXPECT_EQ(same.code, 0) << same.text;
  EXPECT_THAT(same.text, HasSubstr("same: true"));
  const Result other =
      Replay({"--diff", folder, run + "/checkpoints/latest", "--json"});
  EXPECT_EQ(other.code, 0) << other.text;
  const auto json = Json::Parse(other.text);
  ASSERT_TRUE(json.ok()) << other.text;
  EXPECT_FALSE(*json->Find("checkpoint")->GetBool("same"));
}

TEST(Replay, AnotherProgramAndDamageAreErrors) {
  const TempDir dir;
  const std::string run = dir / "run";
  ASSERT_EQ(TrainReplay(run, Injected()).code, 0);
  const Result missing = Replay({run, "--program", dir / "weather_loss"});
  EXPECT_EQ(missing.code, kExitUsage);
  EXPECT_THAT(missing.text, HasSubstr("give its path with --program"));
  const Result other = Replay({run, "--program", "/bin/true"});
  EXPECT_EQ(other.code, kExitUsage);
  EXPECT_THAT(other.text, HasSubstr("is another build"));
  const Result idle =
      Replay({run, "--plain", "--program", "/bin/true", "--other-build"});
  EXPECT_EQ(idle.code, kExitUsage);
  EXPECT_THAT(idle.text, HasSubstr("did not run the step"));

  const std::string batch =
      run + "/evidence/step-00000002/batch-00001.safetensors";
  std::string bytes = *ReadFile(batch);
  bytes.back() ^= 1;
  ASSERT_TRUE(WriteFileAtomically(batch, bytes).ok());
  const Result damaged = Replay({run, "--plain"});
  EXPECT_EQ(damaged.code, kExitCheckpoint);
  EXPECT_THAT(damaged.text, HasSubstr("cannot be replayed: batch/00001/"));
  EXPECT_THAT(damaged.text, HasSubstr("it is damaged"));
  std::filesystem::remove(batch);
  const Result cut = Replay({run, "--plain"});
  EXPECT_EQ(cut.code, kExitCheckpoint);
  EXPECT_THAT(cut.text, HasSubstr("batch-00001.safetensors"));
}

TEST(Replay, ResultsThatDifferAreAMismatch) {
  const TempDir dir;
  const std::string run = dir / "run";
  ASSERT_EQ(TrainReplay(run, Injected()).code, 0);
  const std::string path = run + "/evidence/step-00000002/manifest.json";
  std::string text = *ReadFile(path);
  // The hash of rank 0's own gradient.
  const std::string key = "\"local_gradient\": \"";
  const std::size_t at = text.find(key) + key.size();
  text[at] = text[at] == '0' ? '1' : '0';
  ASSERT_TRUE(WriteFileAtomically(path, text).ok());
  const Result result = Replay({run, "--plain"});
  EXPECT_EQ(result.code, kExitMismatch);
  EXPECT_THAT(result.text, HasSubstr("rank 0: DIFFERS: local_gradient was"));
  EXPECT_THAT(result.text, HasSubstr("rank 1: the same"));
}

}  // namespace
}  // namespace gyre::weather
