// A run in many calls of RunTraining, to look at something in between, is the
// run that one call would be.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "gyre/core/io/file.h"
#include "gyre/monitor/event_log.h"
#include "gyre/monitor/json_lines.h"
#include "gyre/monitor/metrics.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/context/rewind_request.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "tests/support/backends.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

struct Chunks {
  std::int64_t until = 40;
  std::int64_t each = 40;  // steps a call
  std::string resume = "";
  LineOptions line = {};
  std::vector<CarriedState> carried = {};
  // After each call.
  std::function<Status(TrainStep&, const RunDirectory&)> between =
      [](TrainStep&, const RunDirectory&) { return OkStatus(); };
};

Status TrainInChunks(Communicator& comm,
                     const std::string& out,
                     const Chunks& chunks) {
  GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, chunks.line));
  if (!chunks.resume.empty()) {
    GYRE_RETURN_IF_ERROR(LoadCheckpoint(chunks.resume, *step));
  }
  GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                        StartRun(step->mesh(), out, chunks.resume));
  LineSource source(comm.rank(), comm.size());
  while (step->next_step() < chunks.until) {
    GYRE_RETURN_IF_ERROR(
        RunTraining(
            *step,
            source,
            run,
            {.steps = std::min(step->next_step() + chunks.each, chunks.until),
             .checkpoint_every = 5,
             .carried = chunks.carried,
             .telemetry_every = 10})
            .status());
    GYRE_RETURN_IF_ERROR(chunks.between(*step, run));
  }
  return OkStatus();
}

// What stands in the records, without times.
struct Left {
  std::vector<std::string> metrics;  // "step loss verdict"
  std::map<std::string, int> events;
  std::size_t boards = 0;
  std::vector<std::size_t> rank_lines;
  Json summary = Json::Object();
};

Left Read(const std::string& out, int ranks) {
  Left left;
  const auto metrics = ReadMetrics(out + "/metrics.jsonl");
  EXPECT_TRUE(metrics.ok()) << metrics.status();
  for (const StepMetrics& line : *metrics) {
    left.metrics.push_back(Cat(line.step, " ", line.loss, " ", line.verdict));
  }
  const auto events = ReadEvents(out + "/events.jsonl");
  EXPECT_TRUE(events.ok()) << events.status();
  for (const Event& event : *events) {
    // What the machine did is another matter each time.
    if (event.kind != event_kind::kMachine) ++left.events[event.kind];
  }
  left.boards = ListDirectory(out + "/tensorboard")->size();
  for (int r = 0; r < ranks; ++r) {
    left.rank_lines.push_back(
        ReadJsonLines(Cat(out, "/ranks/0000", r, ".jsonl"))->size());
  }
  const auto text = ReadFile(out + "/summary.json");
  EXPECT_TRUE(text.ok()) << text.status();
  if (text.ok()) left.summary = *Json::Parse(*text);
  return left;
}

// That which depends on the clock.
Json WithoutTimes(const Json& summary) {
  Json rest = Json::Object();
  for (const auto& [key, value] : summary.members()) {
    if (key == "wall_s" || key == "first_step_s" || key == "steps_per_s" ||
        key == "straggler") {
      continue;
    }
    rest.Set(key, value);
  }
  return rest;
}

// 18 bad steps: more than a run keeps, or tells the causes of.
LineOptions ManyBadSteps() {
  LineOptions line;
  for (int s = 2; s < 38; s += 2) {
    line.inject += Cat(s > 2 ? ";" : "", "nan_grad@rank=0,step=", s);
  }
  return line;
}

void ExpectTheSame(const std::string& backend,
                   int ranks,
                   const LineOptions& line) {
  SCOPED_TRACE(Cat(backend, " ", ranks));
  const TempDir dir;
  for (const auto& [folder, size] :
       {std::pair("one", 40), std::pair("many", 5)}) {
    const char* const name = folder;
    const int each = size;
    const Status status = RunOn(backend, ranks, [&](Communicator& comm) {
      Chunks chunks = {.line = line};
      chunks.each = each;
      return TrainInChunks(comm, dir / name, chunks);
    });
    ASSERT_TRUE(status.ok()) << status;
  }
  const Left one = Read(dir / "one", ranks);
  const Left many = Read(dir / "many", ranks);
  EXPECT_EQ(one.metrics.size(), 40u);
  EXPECT_EQ(many.metrics, one.metrics);
  EXPECT_EQ(many.events, one.events);
  EXPECT_EQ(many.events.count("resume"), 0u);
  EXPECT_EQ(many.boards, 1u);
  EXPECT_EQ(many.rank_lines, one.rank_lines);
  EXPECT_EQ(WithoutTimes(many.summary).Dump(),
            WithoutTimes(one.summary).Dump());
}

TEST(ChunkedRun, LeavesTheRecordsOfOneCall) {
  for (const int ranks : {1, 2, 4}) ExpectTheSame("local", ranks, {});
  for (const char* backend : {"shm", "grpc", "hosts"}) {
    ExpectTheSame(backend, 2, {});
  }
}

// Limits are a run's, not a call's.
TEST(ChunkedRun, KeepsAndExplainsAsManyBadStepsAsOneCall) {
  for (const int ranks : {1, 2}) ExpectTheSame("local", ranks, ManyBadSteps());
}

TEST(ChunkedRun, WhatWasResumedIsTakenUpOnce) {
  const TempDir dir;
  for (const int ranks : {1, 2, 4}) {
    const std::string out = Cat(dir.path(), "/", ranks);
    std::vector<int> patience(ranks), loads(ranks);
    const auto run = [&](const std::string& resume, std::int64_t until) {
      return LocalWorld(ranks).Run([&](Communicator& comm) {
        int& mine = patience[comm.rank()];
        Chunks chunks = {.until = until, .each = 5, .resume = resume};
        chunks.carried.push_back({"patience",
                                  [&] { return Json(mine); },
                                  [&](const Json& json) -> Status {
                                    ++loads[comm.rank()];
                                    GYRE_ASSIGN_OR_RETURN(const auto saved,
                                                          json.AsInt());
                                    mine = static_cast<int>(saved);
                                    return OkStatus();
                                  }});
        // Counts up between the calls, as early stopping does.
        chunks.between = [&](TrainStep&, const RunDirectory&) {
          ++mine;
          return OkStatus();
        };
        return TrainInChunks(comm, out, chunks);
      });
    };
    ASSERT_TRUE(run("", 10).ok());  // saved as 1, before the second `between`
    std::fill(patience.begin(), patience.end(), -100);
    const Status status = run(out, 40);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_THAT(patience, testing::Each(1 + 6));
    EXPECT_THAT(loads, testing::Each(1));
    int resumes = 0;
    const auto events = ReadEvents(out + "/events.jsonl");
    for (const Event& event : *events) {
      if (event.kind != event_kind::kResume) continue;
      ++resumes;
      EXPECT_EQ(event.step, 10);
      EXPECT_TRUE(*event.fields.GetBool("same_samples"));
      EXPECT_THAT(*event.fields.GetString("from"), HasSubstr("step-00000010"));
    }
    EXPECT_EQ(resumes, 1);
    // One of the run that was resumed, and one of this.
    EXPECT_EQ(Read(out, ranks).boards, 2u);
  }
}

// "Reload the best, and go on from there": a resume, and told as one.
TEST(ChunkedRun, AStateThatIsLoadedInBetweenIsAResume) {
  const TempDir dir;
  const std::string out = dir / "run";
  const Status status = LocalWorld(2).Run([&](Communicator& comm) {
    bool loaded = false;
    Chunks chunks = {.until = 30, .each = 10};
    chunks.between = [&](TrainStep& step, const RunDirectory& run) -> Status {
      if (step.next_step() != 20 || loaded) return OkStatus();
      loaded = true;
      return LoadCheckpoint(run.checkpoint(15), step);
    };
    return TrainInChunks(comm, out, chunks);
  });
  ASSERT_TRUE(status.ok()) << status;
  const Left left = Read(out, 2);
  EXPECT_EQ(left.events.at("resume"), 1);
  EXPECT_EQ(left.boards, 2u);
  // Steps 15 to 19 were done twice, and stand once.
  EXPECT_EQ(left.metrics.size(), 30u);
}

TEST(ChunkedRun, WhatAProgramAddsToTheSummaryStays) {
  const TempDir dir;
  const std::string out = dir / "run";
  const Status status = LocalWorld(2).Run([&](Communicator& comm) {
    Chunks chunks = {.until = 15, .each = 5};
    chunks.between = [&](TrainStep& step, const RunDirectory& run) -> Status {
      const bool there = FileExists(run.summary());
      // The next call of rank 0 takes it away.
      GYRE_RETURN_IF_ERROR(comm.Barrier({.label = "summary seen"}));
      if (!there) return InternalError("no summary");
      if (comm.rank() != 0 || step.next_step() != 5) return OkStatus();
      GYRE_ASSIGN_OR_RETURN(const Json all,
                            run.AddToSummary(Json::Object({{"best", 0.25}})));
      EXPECT_NE(all.Find("plans"), nullptr);
      return OkStatus();
    };
    return TrainInChunks(comm, out, chunks);
  });
  ASSERT_TRUE(status.ok()) << status;
  const Json summary = Read(out, 2).summary;
  EXPECT_EQ(*summary.GetDouble("best"), 0.25);
  EXPECT_EQ(*summary.GetInt("applied"), 15);
}

TEST(ChunkedRun, IsRewoundAsOneRun) {
  const TempDir dir;
  const std::string original = dir / "run";
  const auto train =
      [&](const std::string& out, int each, const RunContext& context = {}) {
        return LocalWorld(2).Run([&](Communicator& comm) {
          comm.set_run_context(context);
          return TrainInChunks(comm, out, {.until = 30, .each = each});
        });
      };
  ASSERT_TRUE(train(original, 30).ok());
  const RewindRequest request = {
      .original = original,
      .checkpoint = original + "/checkpoints/step-00000010",
      .step = 10,
      .before = 22,
      .out = dir / "new"};
  const Status status =
      train(dir / "not used", 5, {.rewind = request.ToJson().Dump()});
  ASSERT_TRUE(status.ok()) << status;
  std::vector<std::string> states;
  const auto events = ReadEvents(dir / "new/events.jsonl");
  for (const Event& event : *events) {
    if (event.kind != event_kind::kRewind) continue;
    states.push_back(*event.fields.GetString("state"));
    if (states.back() == "verified") {
      EXPECT_EQ(*event.fields.GetInt("steps"), 12);
    }
  }
  EXPECT_THAT(states, testing::ElementsAre("begun", "verified"));
  EXPECT_EQ(ReadMetrics(dir / "new/metrics.jsonl")->size(), 20u);
}

}  // namespace
}  // namespace gyre::internal::inline tests
