#include "apps/gyre/replay/replay_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;
using testing::Not;

// result.json of a replay on one rank.
Json Outcome(bool bad) {
  Json outcome = *Json::Parse(R"({
    "result": {"loss": 2.5, "norm": 7, "bad": false,
      "verdict": {"text": "clean"},
      "ranks": [{"rank": 0, "loss": 2.5, "local_gradient": "00aa",
                 "reduced_gradient": "00bb"}]},
    "cause": {"first": null}})");
  if (!bad) return outcome;
  Json result = *outcome.Find("result");
  outcome.Set("result", result.Set("bad", true));
  outcome.Set("cause",
              *Json::Parse(R"({"first": {"rank": 0, "text": "log at x:1"}})"));
  return outcome;
}

Evidence OneRank() {
  Evidence evidence;
  evidence.step = 7;
  evidence.result = *Outcome(true).Find("result");
  return evidence;
}

TEST(ReplayReport, SaysWhichChangeCures) {
  ReplayReport report;
  report.rows.push_back({{.name = "none"}, Outcome(true)});
  report.rows.push_back({{.name = "--precision f64"}, Outcome(false)});
  report.rows.push_back({{.name = "--ranks 1"}, ConfigError("no\nmesh")});
  report.rows.push_back(
      {{.name = "-- x"}, ConfigError("ended\nhello\nerror: no x\nbye")});
  const std::string text = InWords(report, OneRank());
  EXPECT_THAT(text, HasSubstr("the same bits on all 1 ranks"));
  EXPECT_THAT(text, HasSubstr("none             yes           7"));
  EXPECT_THAT(text, HasSubstr("--precision f64  no            7"));
  EXPECT_THAT(text, HasSubstr("does not run               no\n"));
  EXPECT_THAT(text, HasSubstr("does not run               error: no x\n"));
  EXPECT_THAT(text, HasSubstr("disappears with: --precision f64\n"));
  EXPECT_THAT(text, HasSubstr("rank 0: log at x:1"));
  const Json json = ToJson(report, OneRank());
  EXPECT_TRUE(*json.GetBool("same"));
  EXPECT_EQ(json.Find("removed_by")->elements().size(), 1u);
  const auto& changes = json.Find("changes")->elements();
  ASSERT_EQ(changes.size(), 4u);
  EXPECT_FALSE(*changes[1].GetBool("bad"));
  EXPECT_FALSE(*changes[2].GetBool("ran"));
}

TEST(ReplayReport, SaysWhatDiffers) {
  ReplayReport report;
  report.rows.push_back({{.name = "none"}, Outcome(true)});
  report.differences = {{-1, "id", "1", "2"},
                        {0, "local_gradient", "00ab", "00aa"}};
  const std::string text = InWords(report, OneRank());
  EXPECT_THAT(text, HasSubstr("NOT the same bits"));
  EXPECT_THAT(text, HasSubstr("verdict: id was 1 and is 2"));
  EXPECT_THAT(
      text, HasSubstr("rank 0: DIFFERS: local_gradient was 00ab and is 00aa"));
  EXPECT_THAT(text, Not(HasSubstr("change ")));
  EXPECT_THAT(text, Not(HasSubstr("stays whatever")));
  EXPECT_FALSE(*ToJson(report, OneRank()).GetBool("same"));
}

TEST(ReplayReport, KnowsWhenNothingCuresAndWhenNothingIsBad) {
  ReplayReport report;
  report.rows.push_back({{.name = "none"}, Outcome(true)});
  report.rows.push_back({{.name = "--jit off"}, Outcome(true)});
  EXPECT_THAT(InWords(report, OneRank()), HasSubstr("stays whatever"));
  report.rows[0].outcome = Outcome(false);
  EXPECT_THAT(InWords(report, OneRank()), HasSubstr("no bad number"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
