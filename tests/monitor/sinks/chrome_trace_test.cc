#include "gyre/monitor/sinks/chrome_trace.h"

#include <gtest/gtest.h>

#include "gyre/core/io/file.h"
#include "gyre/monitor/records/timeline.h"
#include "tests/monitor/records/example_run.h"

namespace gyre::internal::inline tests {
namespace {

TEST(ChromeTrace, NamesRanksAndLanesOnce) {
  TempDir dir;
  ChromeTrace trace;
  trace.Name(3, "rank 3");
  trace.Span(3, "compute", "step 1", 10, 5);
  trace.Span(3, "compute", "step 2", 20, 5);
  trace.Mark(3, "skip", 22);
  ASSERT_TRUE(trace.Write(dir / "trace.json").ok());
  const auto json = Json::Parse(*ReadFile(dir / "trace.json"));
  ASSERT_TRUE(json.ok()) << json.status();
  const auto& events = json->Find("traceEvents")->elements();
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(*events[3].GetString("ph"), "X");
  EXPECT_EQ(*events[3].GetInt("tid"), *events[4].GetInt("tid"));
  EXPECT_EQ(*events[5].GetString("ph"), "i");
}

TEST(ChromeTrace, KeepsTheFirstAndCountsTheRest) {
  ChromeTrace trace(2);
  for (int i = 0; i < 5; ++i) trace.Mark(0, "x", i);
  EXPECT_EQ(trace.dropped(), 3u);
}

TEST(Timeline, RanksEndTheirStepsTogether) {
  ExampleRun example;
  const auto records = ReadRunRecords(example.path());
  ASSERT_TRUE(records.ok());
  const Json json = TimelineOf(*records).ToJson();
  double ends[2] = {};
  int spans = 0;
  for (const Json& event : json.Find("traceEvents")->elements()) {
    if (*event.GetString("ph") != "X") continue;
    ++spans;
    if (*event.GetString("name") != "step 7") continue;
    ends[*event.GetInt("pid")] =
        *event.GetDouble("ts") + *event.GetDouble("dur");
  }
  EXPECT_EQ(spans, 4 * ExampleRun::kSteps);
  EXPECT_NEAR(ends[0], ends[1], 1e-6);
  EXPECT_GT(ends[0], 0);
}

}  // namespace
}  // namespace gyre::internal::inline tests
