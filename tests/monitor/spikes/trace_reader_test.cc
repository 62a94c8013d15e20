#include "gyre/monitor/spikes/trace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gyre/core/io/file.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

TraceColumns Columns(std::string step, std::string loss) {
  TraceColumns columns;
  columns.step = std::move(step);
  columns.loss = std::move(loss);
  return columns;
}

std::string ErrorOf(std::string_view text, const TraceColumns& columns = {}) {
  return Message(ParseTrace(text, "log", columns).status());
}

TEST(ReadTrace, JsonLinesWithEverySpellingOfNan) {
  const auto trace = ParseTrace(
      "{\"step\": 1, \"loss\": 0.5, \"grad_norm\": 1, \"lr\": 1e-3}\n"
      "{\"step\": 2, \"loss\": NaN, \"note\": \"NaN, -Infinity\"}\n"
      "{\"step\": 3, \"loss\": -Infinity}\n"
      "{\"step\": 4, \"loss\": \"nan\"}\n"
      "{\"step\": 5, \"loss\": 1e999}\n"
      "{\"step\": 6, \"loss\": null}\n",
      "log",
      {});
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->rows.size(), 6u);
  EXPECT_EQ(*trace->rows[0].loss, 0.5);
  EXPECT_EQ(*trace->rows[0].lr, 1e-3);
  EXPECT_TRUE(std::isnan(*trace->rows[1].loss));
  EXPECT_EQ(*trace->rows[2].loss, -INFINITY);
  EXPECT_TRUE(std::isnan(*trace->rows[3].loss));
  EXPECT_EQ(*trace->rows[4].loss, INFINITY);
  EXPECT_TRUE(std::isnan(*trace->rows[5].loss));
}

TEST(ReadTrace, CsvWithQuotesBlanksAndComments) {
  const auto trace = ParseTrace(
      "\xEF\xBB\xBF# made by hand\r\n"
      "\"step\";\"loss\";grad_norm;eval_loss;why\r\n"
      "1; 0.5;1.#INF;;fine\r\n"
      "2;-nan;2;0.25;\"a;b\"\r\n"
      "\r\n"
      "3;+inf;NA;;x\r\n",
      "log",
      {});
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->rows.size(), 3u);
  EXPECT_TRUE(std::isinf(*trace->rows[0].grad_norm));
  EXPECT_FALSE(trace->rows[0].eval_loss.has_value());
  EXPECT_TRUE(std::isnan(*trace->rows[1].loss));
  EXPECT_EQ(*trace->rows[1].eval_loss, 0.25);
  EXPECT_FALSE(trace->rows[2].grad_norm.has_value());
}

TEST(ReadTrace, NamesOfOtherFrameworksAndOfFlags) {
  const auto usual = ParseTrace(
      "{\"global_step\":1,\"train_loss\":2,\"learning_rate\":3}\n", "log", {});
  ASSERT_TRUE(usual.ok()) << usual.status();
  EXPECT_EQ(*usual->rows[0].loss, 2);
  EXPECT_EQ(*usual->rows[0].lr, 3);
  EXPECT_THAT(usual->notes, testing::Contains("took \"train_loss\" as loss"));
  const auto named = ParseTrace("n,cost\n4,5\n", "log", Columns("n", "cost"));
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_EQ(named->rows[0].step, 4);
  EXPECT_EQ(*named->rows[0].loss, 5);
}

TEST(ReadTrace, AnEvaluationInARowOfItsOwnAndARepeatedRow) {
  const auto trace = ParseTrace(
      "step,loss,eval_loss\n1,2,\n1,,3\n2,4,\n2,4,\n5,6,\n", "log", {});
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->rows.size(), 3u);
  EXPECT_EQ(*trace->rows[0].eval_loss, 3);
  EXPECT_EQ(trace->rows[2].step, 5);
}

TEST(ReadTrace, ARestartIsNoted) {
  const auto trace =
      ParseTrace("step,loss\n1,2\n2,2\n3,2\n2,2\n3,2\n", "log", {});
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->rows.size(), 5u);
  EXPECT_THAT(trace->notes,
              testing::Contains("the log goes back to an earlier step 1 "
                                "time(s)"));
}

TEST(ReadTrace, GyresOwnRecordsSayWhatWasSkipped) {
  const auto trace = ParseTrace(
      "{\"step\":0,\"loss\":1,\"grad_norm\":1,\"applied\":true}\n"
      "{\"step\":1,\"loss\":\"NaN\",\"grad_norm\":1,\"applied\":false}\n"
      "{\"step\":2,\"lo",
      "log",
      {});
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->rows.size(), 2u);
  EXPECT_TRUE(trace->rows[0].accepted);
  EXPECT_FALSE(trace->rows[1].accepted);
  EXPECT_THAT(trace->notes, testing::Contains("the last line (3) was cut off"));
}

TEST(ReadTrace, ErrorsSayWhatIsWrongAndWhere) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("log is empty"));
  EXPECT_THAT(ErrorOf(std::string("ab\0c", 4)), HasSubstr("binary"));
  EXPECT_THAT(ErrorOf("a,b\n1,2\n"),
              HasSubstr("no column \"step\"; there are: a, b"));
  EXPECT_THAT(ErrorOf("step,loss\n1,2\n", Columns("", "cost")),
              HasSubstr("no column \"cost\""));
  EXPECT_THAT(ErrorOf("step,loss\n1,2,3\n"), HasSubstr("log:2: 3 fields"));
  EXPECT_THAT(ErrorOf("step,loss\n1,abc\n"),
              HasSubstr("log:2: loss \"abc\" is no number"));
  EXPECT_THAT(ErrorOf("step,loss\n1.5,2\n"), HasSubstr("whole number"));
  EXPECT_THAT(ErrorOf("step,loss\nnan,2\n"), HasSubstr("whole number"));
  EXPECT_THAT(ErrorOf("{\"step\":1,\"loss\":}\n{}\n"), HasSubstr("log:1"));
  EXPECT_THAT(ErrorOf("[1,2]\n"), HasSubstr("expected an object"));
  EXPECT_THAT(ErrorOf("step,loss\n"), HasSubstr("no row has a loss"));
  EXPECT_FALSE(ReadTrace("/no/such/file", {}).ok());
}

TEST(ReadTrace, ARunDirectoryIsReadFromItsMetrics) {
  TempDir dir;
  ASSERT_TRUE(
      WriteFileAtomically(dir / "metrics.jsonl", "{\"step\":7,\"loss\":1}\n")
          .ok());
  const auto trace = ReadTrace(dir.path(), {});
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->rows[0].step, 7);
}

}  // namespace
}  // namespace gyre::internal::inline tests
