// The program that the README shows, as a person runs it: it ends well, and
// that is what the commands say of it. One that does not is not called so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "tests/apps/weather_loss/job_run.h"
#include "tests/support/command.h"
#include "tests/support/some_rank.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;
using testing::Not;

std::string ProgramBeside(const std::string& name) {
  return std::string(GYRE_COMMAND).substr(0, sizeof(GYRE_COMMAND) - 5) + name;
}

std::string DoctorText(const std::string& run) {
  const Result result = RunCommand({GYRE_COMMAND, "doctor", run});
  EXPECT_EQ(result.code, kExitDone) << result.text;
  return result.text;
}

TEST(EndedWell, TheReadmesProgramIsNotCalledKilled) {
  for (const int ranks : {1, 2, 4}) {
    const TempDir dir;
    const Result ran = RunCommand({"/bin/sh",
                                   "-c",
                                   Cat("cd '",
                                       dir.path(),
                                       "' && '",
                                       GYRE_COMMAND,
                                       "' launch -n ",
                                       ranks,
                                       " -- '",
                                       ProgramBeside("first_program"),
                                       "'")});
    ASSERT_EQ(ran.code, kExitDone) << ran.text;
    const std::string run = dir / "runs/first";
    EXPECT_EQ(*Summary(run).GetInt("attempted"), 300);
    EXPECT_TRUE(*Summary(run).GetBool("hashes_equal"));
    const auto json = Json::Parse(*ReadFile(run + "/run.json"));
    EXPECT_EQ(*json->GetString("program"), "first_program");
    EXPECT_EQ(*json->GetInt("world"), ranks);

    const std::string doctor = DoctorText(run);
    EXPECT_THAT(doctor, Not(HasSubstr("killed")));
    EXPECT_THAT(doctor, Not(HasSubstr("without a summary")));
    EXPECT_THAT(doctor, Not(HasSubstr("dmesg")));
    ASSERT_EQ(RunCommand({GYRE_COMMAND, "report", run}).code, kExitDone);
    const std::string page = *ReadFile(run + "/report.html");
    EXPECT_THAT(page, Not(HasSubstr("has no summary")));
    EXPECT_THAT(page, HasSubstr("first_program: "));
  }
}

// Its summary is that of an end; this one has none.
TEST(EndedWell, ARunThatWentOnAndWasKilledDidNot) {
  const TempDir dir;
  const std::string out = dir / "run";
  const auto job = [&](const char* steps, const std::string& resume) {
    return Arguments{ProgramBeside("weather_loss"),
                     "--data",
                     "synthetic",
                     "--loss",
                     "mse",
                     "--out",
                     out,
                     "--steps",
                     steps,
                     "--resume",
                     resume};
  };
  const Result first = RunCommand(job("20", ""));
  ASSERT_EQ(first.code, kExitDone) << first.text;
  EXPECT_EQ(*Summary(out).GetInt("attempted"), 20);
  EXPECT_NE(Summary(out).Find("skill"), nullptr);
  EXPECT_THAT(DoctorText(out), Not(HasSubstr("without a summary")));
  Command second(job("1000000", out));
  ASSERT_TRUE(second.WaitFor("step 21/"));
  ASSERT_EQ(::kill(second.pid(), SIGKILL), 0);
  second.Finish();
  EXPECT_FALSE(FileExists(out + "/summary.json"));
  EXPECT_THAT(DoctorText(out), HasSubstr("without a summary or an error"));
}

}  // namespace
}  // namespace gyre::weather
