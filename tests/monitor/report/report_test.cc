#include "gyre/monitor/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "gyre/monitor/report/html.h"
#include "tests/monitor/records/example_run.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ReportOf(const std::string& path) {
  const auto records = ReadRunRecords(path);
  EXPECT_TRUE(records.ok()) << records.status();
  return records.ok() ? BuildReport(*records) : "";
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;
       at += part.size()) {
    ++count;
  }
  return count;
}

TEST(Report, ShowsWhatTheRecordsHold) {
  ExampleRun example;
  const std::string page = ReportOf(example.path());
  for (const char* part : {"weather_loss",
                           "class=\"tag transient\"",
                           "t=017 (1996-01-09T06Z)",
                           "gradient norm",
                           "largest of the ranks",
                           "Rank 1 came clearly last in 33.3% of the steps",
                           "gradient norm by tensor",
                           "storm_term",
                           "against the training mean",
                           "bias_hpa",
                           "run.json"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
}

TEST(Report, NeedsNothingFromElsewhere) {
  ExampleRun example;
  const std::string page = ReportOf(example.path());
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(Report, NamesFromTheRunAreTextNotMarkup) {
  ExampleRun example;
  const std::string page = ReportOf(example.path());
  // The tensor that is called <b>.
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;"));
  EXPECT_EQ(Count(page, "<b>"), Count(page, "</b>"));
  const std::regex inside("<script type=\"application/json\">[^<]*</script>");
  const auto first = std::sregex_iterator(page.begin(), page.end(), inside);
  EXPECT_EQ(std::distance(first, std::sregex_iterator()),
            static_cast<std::ptrdiff_t>(Count(page, "application/json")));
}

TEST(Report, EveryElementThatIsOpenedIsClosed) {
  ExampleRun example;
  const std::string page = ReportOf(example.path());
  for (const std::string name : {"div",
                                 "section",
                                 "table",
                                 "tr",
                                 "td",
                                 "svg",
                                 "figure",
                                 "article",
                                 "ul",
                                 "li",
                                 "p",
                                 "span",
                                 "script",
                                 "details",
                                 "pre",
                                 "main"}) {
    const std::size_t opened =
        Count(page, "<" + name + ">") + Count(page, "<" + name + " ");
    EXPECT_EQ(opened, Count(page, "</" + name + ">")) << name;
  }
}

TEST(Report, CheckpointsInARowAreOneRow) {
  ExampleRun example;
  auto records = ReadRunRecords(example.path());
  ASSERT_TRUE(records.ok()) << records.status();
  records->events.clear();
  for (const int step : {10, 20, 30}) {
    records->events.push_back(
        {.step = step,
         .kind = std::string(event_kind::kCheckpoint),
         .fields = Json::Object(
             {{"path", Cat("at-", step)}, {"write_s", 0.0400000018}})});
  }
  const std::string page = BuildReport(*records);
  EXPECT_THAT(page, HasSubstr("3 checkpoints, the last: path at-30"));
  EXPECT_THAT(page, Not(HasSubstr("at-20")));
  EXPECT_THAT(page, HasSubstr("write_s 0.04<"));
}

TEST(Report, ANanIsDrawnAndNotHidden) {
  ExampleRun example;
  EXPECT_THAT(ReportOf(example.path()), HasSubstr("<path class=\"bad\""));
}

TEST(Report, WarnsOfAnUnguardedRunAndAMissingSummary) {
  TempDir dir;
  ASSERT_TRUE(
      WriteFileAtomically(dir / "run.json", "{\"unguarded\": true}").ok());
  const std::string page = ReportOf(dir.path());
  EXPECT_THAT(page, HasSubstr("This run was unguarded"));
  EXPECT_THAT(page, HasSubstr("The run has no summary"));
  EXPECT_THAT(page, HasSubstr("metrics.jsonl"));
}

TEST(Html, EscapesWhatHasAMeaning) {
  EXPECT_EQ(Escaped("<a href=\"x\">&'"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}

}  // namespace
}  // namespace gyre::internal::inline tests
