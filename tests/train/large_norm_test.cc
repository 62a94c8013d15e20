// A gradient that is finite and beyond what any batch makes: one wrong number.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gyre/collectives/local/local_world.h"
#include "gyre/monitor/event.h"
#include "gyre/monitor/event_log.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "gyre/train/step/train_state.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The largest second moment of Adam after so many steps, with faults.
double LargestMoment(const std::string& inject,
                     int micro_batches,
                     const std::string& path) {
  double largest = 0;
  const Status status = LocalWorld(2).Run([&](Communicator& comm) -> Status {
    LineOptions options;
    options.guard = {.max_norm = 1};
    options.inject = inject;
    options.micro_batches = micro_batches;
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(path, comm.rank()));
    LineSource source(step->mesh());
    GYRE_RETURN_IF_ERROR(
        RunTraining(*step, source, run, {.steps = 30}).status());
    const float* const second = step->state().front().states()[1];
    const auto n = step->state().state_layouts()[1].elements();
    if (comm.rank() == 0) largest = *std::max_element(second, second + n);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return largest;
}

std::vector<Event> SkipsIn(const std::string& run) {
  std::vector<Event> skips;
  const auto events = ReadEvents(run + "/events.jsonl");
  EXPECT_TRUE(events.ok()) << events.status();
  if (!events.ok()) return skips;
  for (const Event& event : *events) {
    if (event.kind == event_kind::kSkip) skips.push_back(event);
  }
  return skips;
}

TEST(LargeNorm, OneElementIsSkippedAndNeverReachesTheMoments) {
  const TempDir dir;
  const double healthy = LargestMoment("", 1, dir / "healthy");
  EXPECT_TRUE(SkipsIn(dir / "healthy").empty());
  for (const int parts : {1, 2}) {
    const std::string run = Cat(dir / "spoiled", parts);
    const double spoiled = LargestMoment(
        "huge_grad@rank=1,step=20,tensor=layer1.w,element=3", parts, run);
    EXPECT_LT(spoiled, 2 * healthy);
    const std::vector<Event> skips = SkipsIn(run);
    ASSERT_EQ(skips.size(), 1u) << parts;
    EXPECT_EQ(skips[0].step, 20);
    const Json& fields = skips[0].fields;
    EXPECT_TRUE(*fields.GetBool("finite"));
    EXPECT_THAT(*fields.GetString("reason"), HasSubstr("no batch makes"));
    EXPECT_EQ(fields.Find("tensors")->Dump(), "[\"layer1.w\"]");
    if (parts > 1) continue;  // their ranks are judged before the sum
    EXPECT_EQ(fields.Find("ranks")->Dump(), "[1]");
    EXPECT_EQ(fields.Find("samples")->elements().size(), 4u);
    const Json& found = fields.Find("found")->elements().front();
    EXPECT_EQ(*found.GetInt("first_element"), 3);
    EXPECT_GT(*found.GetDouble("norm"), 1e20);
  }
}

TEST(LargeNorm, TheFirstStepsAreWatchedToo) {
  const TempDir dir;
  LargestMoment("huge_grad@rank=0,step=0", 1, dir / "run");
  EXPECT_EQ(SkipsIn(dir / "run").size(), 1u);
}

// A shard whose every batch is broken must not get through by its patience.
TEST(LargeNorm, WhatIsHopelessEndsTheRunAndIsNeverApplied) {
  const TempDir dir;
  std::string message;
  const Status status = LocalWorld(2).Run([&](Communicator& comm) -> Status {
    LineOptions options;
    options.inject = "huge_grad@rank=1,rate=1";
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(dir / "run", comm.rank()));
    LineSource source(step->mesh());
    const Status ended =
        RunTraining(*step, source, run, {.steps = 60}).status();
    if (comm.rank() == 0) message = Message(ended);
    EXPECT_EQ(step->state().guard().applied, 0);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(message, HasSubstr("no batch makes a norm"));
  EXPECT_THAT(message, HasSubstr("Every number was finite"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
