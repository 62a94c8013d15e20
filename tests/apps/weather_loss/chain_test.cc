// docs/when_it_spikes.md, step by step: a natural NaN, its cause, its replay,
// a loss that mends it, and the run without its sample.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/weather_loss/storm_data.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "tests/apps/weather_loss/job_run.h"
#include "tests/support/command.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Json ReadJson(const std::string& path) {
  const auto text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *Json::Parse(*text) : Json::Object();
}

TEST(Chain, FromANaturalNanToARunWithoutItsSample) {
  if (!DirectoryExists(kStormFolder)) {
    GTEST_SKIP() << "needs the storm of Debian's libncarg-data";
  }
  const TempDir dir;
  const std::string run = dir / "run";
  const Result trained = RunCommand(LaunchJob(
      2,
      Data(),
      run,
      {"--steps", "20", "--checkpoint-every", "1", "--keep-checkpoints", "0"}));
  ASSERT_EQ(trained.code, kExitDone) << trained.text;
  EXPECT_EQ(*Summary(run).GetInt("skipped"), 2);

  const Json cause = ReadJson(run + "/evidence/step-00000017/cause.json");
  const Json first = *cause.Find("first");
  EXPECT_EQ(*first.GetString("operation"), "log");
  EXPECT_THAT(*first.GetString("line"), HasSubstr("losses.cc:"));
  EXPECT_EQ(*first.GetInt("sample"), 33);
  EXPECT_THAT(*first.GetString("where"), HasSubstr("p at "));

  const Result doctor = RunCommand({GYRE_COMMAND, "doctor", run});
  EXPECT_THAT(doctor.text,
              AllOf(HasSubstr("numerics: supported"),
                    HasSubstr("(1996-01-13T06Z) was in 2 of 2 bad steps")));

  const Result f64 = RunCommand(
      {GYRE_COMMAND, "replay", run, "--step", "17", "--precision", "f64"});
  ASSERT_EQ(f64.code, kExitDone) << f64.text;
  EXPECT_THAT(f64.text,
              AllOf(HasSubstr("the same bits on all 2 ranks"),
                    HasSubstr("--precision f64  yes"),
                    HasSubstr("of f64 (2, 1, 33, 36)")));

  const Result softplus = RunCommand({GYRE_COMMAND,
                                      "replay",
                                      run,
                                      "--step",
                                      "17",
                                      "--",
                                      "--loss",
                                      "storm_softplus"});
  ASSERT_EQ(softplus.code, kExitDone) << softplus.text;
  EXPECT_THAT(softplus.text,
              HasSubstr("disappears with: -- --loss storm_softplus"));

  const std::string again = dir / "again";
  const Result rewound = RunCommand({GYRE_COMMAND,
                                     "rewind",
                                     run,
                                     "--before-spike",
                                     "17",
                                     "--skip-samples",
                                     "auto",
                                     "--out",
                                     again});
  ASSERT_EQ(rewound.code, kExitDone) << rewound.text;
  EXPECT_THAT(rewound.text, HasSubstr("without 33"));
  // The skip of step 1 lies before the checkpoint; that of step 17 is gone.
  EXPECT_EQ(*Summary(again).GetInt("skipped"), 1);
  EXPECT_THAT(*ReadFile(again + "/events.jsonl"),
              AllOf(HasSubstr("\"kind\":\"rewind\""),
                    HasSubstr("not strictly comparable"),
                    Not(HasSubstr("\"kind\":\"skip\""))));
  EXPECT_NE(ReadJson(again + "/run.json").Find("rewind"), nullptr);
}

}  // namespace
}  // namespace gyre::weather
