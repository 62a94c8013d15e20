#include "gyre/monitor/records/run_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/monitor/records/causes.h"
#include "gyre/monitor/records/rank_timing.h"
#include "tests/monitor/records/example_run.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

TEST(RunRecords, ReadsAllThatIsThere) {
  ExampleRun example;
  const auto run = ReadRunRecords(example.path());
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->world(), 2);
  EXPECT_EQ(run->metrics.size(), 300u);
  EXPECT_EQ(run->ranks.size(), 2u);
  EXPECT_EQ(run->events.size(), 1u);
  EXPECT_TRUE(run->notes.empty());
  EXPECT_EQ(TraceOf(*run).rows.size(), 300u);
  EXPECT_FALSE(TraceOf(*run).rows[150].accepted);
}

TEST(RunRecords, WhatIsSpoiltIsANoteAndTheRestIsRead) {
  ExampleRun example;
  example.Write("run.json", "{\"program\": ");
  example.Write("events.jsonl", "{\"step\": 7}\nnonsense\n");
  example.Write("metrics.jsonl", "{\"step\":1,\"loss\":2}\n{\"step\":2,\"lo");
  example.Write("checkpoints/step-00000100/state.safetensors", "x");
  const auto run = ReadRunRecords(example.path());
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_TRUE(run->run.is_null());
  EXPECT_EQ(run->metrics.size(), 1u);
  EXPECT_THAT(run->notes, testing::Contains(HasSubstr("run.json")));
  EXPECT_THAT(run->notes, testing::Contains(HasSubstr("never finished")));
  EXPECT_EQ(run->notes.size(), 5u);
}

TEST(RunRecords, AFolderThatIsNoRunIsAnError) {
  TempDir dir;
  EXPECT_THAT(Message(ReadRunRecords(dir.path()).status()),
              HasSubstr("is no run directory"));
  EXPECT_FALSE(ReadRunRecords("/no/such/run").ok());
}

TEST(Causes, AreNamedOnlyWhereARecordNamesThem) {
  ExampleRun example;
  auto run = ReadRunRecords(example.path());
  ASSERT_TRUE(run.ok());
  std::vector<Spike> spikes = SpikesOf(*run);
  ASSERT_EQ(spikes.size(), 1u);
  EXPECT_EQ(spikes[0].first_step, ExampleRun::kSkipped);
  EXPECT_THAT(spikes[0].cause, HasSubstr("rank(s) 1 in head.w"));
  EXPECT_THAT(spikes[0].cause, HasSubstr("t=017"));
  EXPECT_THAT(spikes[0].cause, HasSubstr("is not known"));
  run->causes.push_back(
      Json::Object({{"step", 150}, {"op", "log"}, {"line", "losses.cc:31"}}));
  EXPECT_EQ(SpikesOf(*run)[0].cause, "log, at losses.cc:31");
  run->causes.clear();
  run->events.clear();
  EXPECT_EQ(SpikesOf(*run)[0].cause, "unknown");
}

// What rank 0 is late by because it writes the records is no slow machine.
TEST(RankTiming, LessThanAMillisecondIsNobodysFault) {
  RunRecords records;
  for (int step = 0; step < 50; ++step) {
    for (const int rank : {0, 1}) {
      records.ranks[rank].push_back(
          Json::Object({{"step", step},
                        {"step_ms", 1.0},
                        {"wait_ms", rank == 0 ? 0.1 : 0.7}}));
    }
  }
  const std::vector<RankTiming> timing = TimingOf(records);
  ASSERT_EQ(timing.size(), 2u);
  EXPECT_EQ(StragglerOf(timing), nullptr);
}

TEST(RankTiming, NamesTheRankThatTheOthersWaitFor) {
  ExampleRun example;
  const auto run = ReadRunRecords(example.path());
  ASSERT_TRUE(run.ok());
  const std::vector<RankTiming> timing = TimingOf(*run);
  ASSERT_EQ(timing.size(), 2u);
  EXPECT_EQ(timing[0].late_share, 0);
  EXPECT_NEAR(timing[1].late_share, 1.0 / 3, 1e-9);
  EXPECT_EQ(timing[1].step_ms, 2);
  EXPECT_EQ(timing[1].longest_ms, 4);
}

}  // namespace
}  // namespace gyre::internal::inline tests
