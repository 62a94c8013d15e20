// The commands that read records, run as a person would, on real runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "tests/support/command.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

Result Gyre(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), GYRE_COMMAND);
  return RunCommand(std::move(arguments));
}

// A log of another framework: 600 steps, a NaN at 300, a jump at 400
// that stays.
std::string OtherLog() {
  std::string text = "step,loss,grad_norm\n";
  for (int i = 0; i < 600; ++i) {
    const double loss = 2 + 0.01 * (i * 37 % 11) + (i >= 400 ? 1 : 0);
    const double norm = (1 + 0.1 * (i * 53 % 13)) * (i >= 400 ? 2 : 1);
    text += Cat(i, ",", i == 300 ? "nan" : Cat(loss), ",", norm, "\n");
  }
  return text;
}

TEST(GyreSpikes, PrintsAListForAnyLog) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "log.csv", OtherLog()).ok());
  const Result result = Gyre({"spikes", dir / "log.csv", "--json"});
  ASSERT_EQ(result.code, 0) << result.text;
  const auto list = Json::Parse(result.text);
  ASSERT_TRUE(list.ok()) << result.text;
  ASSERT_EQ(list->elements().size(), 2u) << result.text;
  EXPECT_EQ(*list->elements()[0].GetString("class"), "transient");
  const Json& spike = list->elements()[1];
  EXPECT_EQ(*spike.GetString("class"), "persistent");
  EXPECT_EQ(*spike.GetInt("first_step"), 400);
  EXPECT_EQ(*spike.GetInt("last_step"), 599);
  EXPECT_NEAR(*spike.GetDouble("baseline_before"), 2.05, 0.03);
  EXPECT_NEAR(*spike.GetDouble("baseline_after"), 3.05, 0.03);
  EXPECT_NEAR(*spike.GetDouble("peak"), 3.1, 0.01);
  EXPECT_FALSE(spike.Find("evidence")->elements().empty());
}

TEST(GyreSpikes, BadFilesAndFlagsAreClearErrors) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "log.csv", "a,b\n1,2\n").ok());
  const Result columns = Gyre({"spikes", dir / "log.csv"});
  EXPECT_EQ(columns.code, kExitData);
  EXPECT_THAT(columns.text, HasSubstr("no column \"step\""));
  EXPECT_EQ(Gyre({"spikes", "/no/such/log"}).code, kExitData);
  EXPECT_EQ(Gyre({"spikes"}).code, kExitUsage);
  EXPECT_EQ(Gyre({"spikes", "x", "--no-such-flag"}).code, kExitUsage);
  EXPECT_EQ(Gyre({"spikes", "--help"}).code, 0);
}

TEST(GyreInspect, OfAFileSaysWhatToUse) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "x.nc", "CDF").ok());
  const Result file = Gyre({"inspect", dir / "x.nc"});
  EXPECT_EQ(file.code, kExitData);
  EXPECT_THAT(file.text, HasSubstr("`gyre data inspect "));
}

TEST(GyreCommands, AllHaveHelpAndAllRefuseWhatIsNoRun) {
  TempDir dir;
  for (const char* command : {"report", "doctor", "inspect", "trace"}) {
    const Result help = Gyre({command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_THAT(help.text, HasSubstr(Cat("gyre ", command)));
    EXPECT_EQ(Gyre({command}).code, kExitUsage) << command;
    const Result none = Gyre({command, dir.path()});
    EXPECT_EQ(none.code, kExitData) << command;
    EXPECT_THAT(none.text, HasSubstr("is no run directory"));
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
