#include "gyre/core/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class FlagsTest : public testing::Test {
 protected:
  FlagsTest() {
    flags_.Add("steps", &steps_, "number of training steps");
    flags_.Add("n,ranks", &ranks_, "number of ranks");
    flags_.Add("lambda", &lambda_, "weight of the storm term");
    flags_.Add("lr", &lr_, "learning rate");
    flags_.Add("out", &out_, "run directory");
    flags_.Add("json", &json_, "print JSON");
    flags_.AddChoice("loss", &loss_, {"storm", "mse"}, "the loss");
  }

  StatusOr<ParseResult> Parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "prog");
    return flags_.Parse(static_cast<int>(arguments.size()), arguments.data());
  }
  std::string ErrorOf(std::vector<const char*> arguments) {
    const Status status = Parse(std::move(arguments)).status();
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
    return Message(status);
  }

  std::int64_t steps_ = 1500;
  int ranks_ = 1;
  float lambda_ = 0.1f;
  double lr_ = 3e-3;
  std::string out_ = "runs/a";
  bool json_ = false;
  std::string loss_ = "storm";
  Flags flags_{"prog", "Does things."};
};

TEST_F(FlagsTest, NothingGivenKeepsTheDefaults) {
  const StatusOr<ParseResult> result = Parse({});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, ParseResult::kRun);
  EXPECT_EQ(steps_, 1500);
  EXPECT_EQ(out_, "runs/a");
}

TEST_F(FlagsTest, TakesBothFormsAndEveryType) {
  const StatusOr<ParseResult> result = Parse({"--steps",
                                              "9000000000",
                                              "--ranks=4",
                                              "--lambda",
                                              "-2.5e-1",
                                              "--lr=+0.5",
                                              "--out",
                                              "a b",
                                              "--json",
                                              "--loss=mse"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(steps_, 9000000000);
  EXPECT_EQ(ranks_, 4);
  EXPECT_EQ(lambda_, -0.25f);
  EXPECT_EQ(lr_, 0.5);
  EXPECT_EQ(out_, "a b");
  EXPECT_TRUE(json_);
  EXPECT_EQ(loss_, "mse");
}

TEST_F(FlagsTest, ShortFormAndLastValueWins) {
  ASSERT_TRUE(Parse({"-n", "2", "--json=true", "--json=false"}).ok());
  EXPECT_EQ(ranks_, 2);
  EXPECT_FALSE(json_);
  ASSERT_TRUE(Parse({"-n", "2", "--ranks", "3"}).ok());
  EXPECT_EQ(ranks_, 3);
}

TEST_F(FlagsTest, AnEmptyTextIsAText) {
  ASSERT_TRUE(Parse({"--out="}).ok());
  EXPECT_EQ(out_, "");
}

TEST_F(FlagsTest, UnknownFlagBringsTheNearest) {
  EXPECT_EQ(ErrorOf({"--lamda", "1"}),
            "unknown flag --lamda; did you mean --lambda?");
  EXPECT_EQ(ErrorOf({"--lambad=1"}),
            "unknown flag --lambad; did you mean --lambda?");
  EXPECT_EQ(ErrorOf({"--zebra"}),
            "unknown flag --zebra; --help lists the flags");
  EXPECT_THAT(ErrorOf({"-x"}), HasSubstr("unknown flag -x"));
}

TEST_F(FlagsTest, BadValueNamesFlagAndValue) {
  EXPECT_THAT(
      ErrorOf({"--steps", "ten"}),
      AllOf(HasSubstr("--steps expects an integer"), HasSubstr("got \"ten\"")));
  for (const char* bad :
       {"1.5", "1e3", "7x", "", "+-7", "+", "9223372036854775808"}) {
    EXPECT_THAT(ErrorOf({"--steps", bad}), HasSubstr("--steps")) << bad;
  }
  EXPECT_THAT(ErrorOf({"--ranks", "2147483648"}),
              HasSubstr("from -2147483648 to 2147483647"));
  for (const char* bad : {"nan", "inf", "1e999", "0,1", "one"}) {
    EXPECT_THAT(ErrorOf({"--lr", bad}), HasSubstr("--lr expects a finite"))
        << bad;
  }
  EXPECT_THAT(ErrorOf({"--json=maybe"}), HasSubstr("true or false"));
}

TEST_F(FlagsTest, ChoiceListsWhatIsAllowed) {
  EXPECT_EQ(ErrorOf({"--loss", "strom"}),
            "flag --loss expects one of storm, mse; got \"strom\"; did you "
            "mean storm?");
}

TEST_F(FlagsTest, AMissingValueIsNoticed) {
  EXPECT_THAT(ErrorOf({"--steps"}), HasSubstr("steps"));
  EXPECT_THAT(ErrorOf({"--out", "--json"}),
              HasSubstr("flag --out has no value before --json"));
}

TEST_F(FlagsTest, ArgumentsThatAreNoFlagsAreRefused) {
  EXPECT_THAT(ErrorOf({"extra"}), HasSubstr("unexpected argument \"extra\""));
  EXPECT_THAT(ErrorOf({"--json", "true"}),
              HasSubstr("unexpected argument \"true\""));
  EXPECT_THAT(ErrorOf({"--", "x"}), HasSubstr("unexpected argument \"x\""));
}

TEST_F(FlagsTest, PositionalArgumentsEndAtTwoDashesVerbatim) {
  std::vector<std::string> command;
  flags_.AllowPositional("-- APP [ARGS]", &command, "the program to launch");
  ASSERT_TRUE(
      Parse({"--steps", "3", "a", "--", "app", "--steps", "9", "--", "-q"})
          .ok());
  EXPECT_EQ(steps_, 3);
  EXPECT_THAT(command, ElementsAre("a", "app", "--steps", "9", "--", "-q"));
  EXPECT_THAT(ErrorOf({"app", "--unknown"}), HasSubstr("--unknown"));
}

TEST_F(FlagsTest, HelpShowsEveryFlagWithItsDefault) {
  testing::internal::CaptureStdout();
  const StatusOr<ParseResult> result = Parse({"--steps", "x", "--help"});
  const std::string text = testing::internal::GetCapturedStdout();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, ParseResult::kHelpShown);
  EXPECT_EQ(text, flags_.Help());
  EXPECT_THAT(text, HasSubstr("Does things.\n\nUsage: prog [flags]\n"));
  EXPECT_THAT(text, HasSubstr("--steps N"));
  EXPECT_THAT(text, HasSubstr("number of training steps (default: 1500)"));
  EXPECT_THAT(text, HasSubstr("-n, --ranks N"));
  EXPECT_THAT(text, HasSubstr("(default: 0.1)"));
  EXPECT_THAT(text, HasSubstr("(default: 0.003)"));
  EXPECT_THAT(text, HasSubstr("the loss: storm, mse (default: storm)"));
}

TEST_F(FlagsTest, HelpLinesAreBroken) {
  std::string long_help;
  for (int i = 0; i < 30; ++i) long_help += "wordy ";
  flags_.Add("a-name-that-leaves-no-room", &steps_, long_help);
  std::size_t start = 0;
  const std::string text = flags_.Help();
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 79u) << text.substr(start, end - start);
    start = end + 1;
  }
}

TEST_F(FlagsTest, ToJsonHoldsTheValuesInForce) {
  ASSERT_TRUE(Parse({"--steps", "7", "--json"}).ok());
  const Json json = flags_.ToJson();
  EXPECT_EQ(*json.GetInt("steps"), 7);
  EXPECT_TRUE(*json.GetBool("json"));
  EXPECT_EQ(*json.GetString("loss"), "storm");
  EXPECT_EQ(json.Find("lambda")->Dump(), "0.1");
  EXPECT_EQ(json.members()[0].first, "steps");
}

}  // namespace
}  // namespace gyre::internal::inline tests
