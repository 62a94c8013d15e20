#include "gyre/train/replay/rewind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/file.h"
#include "gyre/monitor/event_log.h"
#include "gyre/monitor/metrics.h"
#include "gyre/train/records/recorder.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "gyre/train/step/train_state.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// What RunMain hands on when gyre rewind has started the program.
RunContext Rewound(const RewindRequest& request) {
  return {.rewind = request.ToJson().Dump()};
}

// The line task without a thought of rewinding, to `steps`; by rank 0.
Status TrainRewind(const std::string& out,
                   std::int64_t steps,
                   const RunContext& context = {},
                   int ranks = 2,
                   const LineOptions& line = {}) {
  return LocalWorld(ranks).Run([&](Communicator& comm) -> Status {
    comm.set_run_context(context);
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, line));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run, StartRun(step->mesh(), out));
    LineSource source(step->mesh());
    return RunTraining(
               *step, source, run, {.steps = steps, .checkpoint_every = 5})
        .status();
  });
}

std::vector<Event> Rewinds(const std::string& out) {
  std::vector<Event> chosen;
  const auto events = ReadEvents(out + "/events.jsonl");
  if (!events.ok()) return chosen;
  for (const Event& event : *events) {
    if (event.kind == event_kind::kRewind) chosen.push_back(event);
  }
  return chosen;
}

class Rewind : public testing::Test {
 protected:
  void SetUp() override {
    const Status status = TrainRewind(original_, 22);
    ASSERT_TRUE(status.ok()) << status;
    request_ = {.original = original_,
                .checkpoint = original_ + "/checkpoints/step-00000010",
                .step = 10,
                .before = 18,
                .out = out_};
  }

  const TempDir dir_;
  const std::string original_ = dir_ / "run";
  const std::string out_ = dir_ / "new";
  RewindRequest request_;
};

TEST_F(Rewind, WithoutAChangeTheStepsComeOutAsTheyWere) {
  const Status status = TrainRewind(dir_ / "not used", 22, Rewound(request_));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_FALSE(FileExists(dir_ / "not used"));
  const auto events = Rewinds(out_);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(*events[0].fields.GetString("state"), "begun");
  EXPECT_EQ(events[0].step, 10);
  EXPECT_EQ(*events[0].fields.GetInt("compared_before"), 18);
  EXPECT_THAT(*events[0].fields.GetString("note"),
              HasSubstr("not strictly comparable"));
  EXPECT_EQ(*events[1].fields.GetString("state"), "verified");
  EXPECT_EQ(*events[1].fields.GetInt("steps"), 8);
  const auto metrics = *ReadMetrics(out_ + "/metrics.jsonl");
  ASSERT_EQ(metrics.size(), 12u);
  EXPECT_EQ(metrics[11].loss,
            (*ReadMetrics(original_ + "/metrics.jsonl"))[21].loss);
  const auto run = Json::Parse(*ReadFile(out_ + "/run.json"));
  EXPECT_EQ(*run->Find("rewind")->GetString("original"), original_);
  EXPECT_NE(run->Find("started"), nullptr);
}

TEST_F(Rewind, UntilASampleIsReplaced) {
  // One that the checkpoint's epoch has had already, so that it comes late.
  const LineSource source(0, 1);
  const auto next = [&](std::int64_t id) {
    std::int64_t step = 10;
    for (;; ++step) {
      const auto ids = source.SampleIds(step, 0);
      if (std::find(ids.begin(), ids.end(), id) != ids.end()) return step;
    }
  };
  const auto early = source.SampleIds(9, 0);
  const std::int64_t id =
      *std::max_element(early.begin(), early.end(), [&](auto a, auto b) {
        return next(a) < next(b);
      });
  const std::int64_t first = next(id);
  ASSERT_GT(first, 12);
  ASSERT_LT(first, 18);
  request_.leave_out = {id};
  for (const int ranks : {2, 4}) {
    if (ranks == 4) request_.strict = false;  // the sums have another order
    const Status status = TrainRewind(out_, 22, Rewound(request_), ranks);
    ASSERT_TRUE(status.ok()) << status;
    const auto events = Rewinds(out_);
    ASSERT_GE(events.size(), 1u);
    EXPECT_EQ(*events[0].fields.GetInt("first_changed"), first);
    if (ranks == 4) continue;
    EXPECT_EQ(*events[1].fields.GetString("state"), "verified");
    EXPECT_EQ(*events[1].fields.GetInt("steps"), first - 10);
  }
}

TEST_F(Rewind, AnotherTrajectoryEndsTheRun) {
  LineOptions other;
  other.loss = [](Var pred, const BatchVars& b) {
    return 1.001f * mse(pred, b["y"]);
  };
  {
    const Status status = TrainRewind(out_, 22, Rewound(request_), 1, other);
    EXPECT_EQ(KindOf(status), ErrorKind::kMismatch) << status;
    EXPECT_THAT(Message(status), HasSubstr("step 10 has loss"));
    EXPECT_THAT(Message(status), HasSubstr("--keep-going"));
    EXPECT_EQ(*Rewinds(out_).back().fields.GetString("state"), "diverged");
  }
  request_.strict = false;
  const Status status = TrainRewind(out_, 22, Rewound(request_), 1, other);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(*Rewinds(out_).back().fields.GetString("state"), "diverged");
}

TEST_F(Rewind, FromTheStart) {
  request_.checkpoint = "";
  request_.step = 0;
  const Status status = TrainRewind(out_, 20, Rewound(request_));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(*Rewinds(out_).back().fields.GetInt("steps"), 18);
}

TEST_F(Rewind, ASourceThatKeepsItsIdsToItselfIsFoundOut) {
  request_.leave_out = {3};
  const auto check = [&](std::vector<std::int64_t> ids) {
    Status status;
    const Status ran = LocalWorld(1).Run([&](Communicator& comm) -> Status {
      comm.set_run_context(Rewound(request_));
      GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
      step->state().Restore(
          std::vector<float>(step->state().front().all().size()), {}, 10);
      step->state().SetResumed(Json::Object({{"from", request_.checkpoint}}));
      GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                            RunDirectory::Create(out_, comm.rank()));
      GYRE_ASSIGN_OR_RETURN(const auto recorder, Recorder::Open(run, 0, 10));
      LineSource source(0, 1);
      GYRE_ASSIGN_OR_RETURN(const auto begun,
                            RewindCheck::Begin(*step, source, *recorder));
      SampleBatch batch;
      batch.sample_ids = std::move(ids);
      status = begun->CheckSamples(batch);
      return OkStatus();
    });
    EXPECT_TRUE(ran.ok()) << ran;
    return status;
  };
  EXPECT_TRUE(check({1, 2}).ok());
  EXPECT_THAT(Message(check({1, 3})), HasSubstr("SamplerOptions::ids"));
}

TEST(RewindRequest, IsWhatItWas) {
  EXPECT_FALSE((*RewindRequest::Of({})).has_value());
  const RewindRequest request{.original = "a",
                              .checkpoint = "b",
                              .step = 3,
                              .before = 4,
                              .out = "c",
                              .leave_out = {7, -8},
                              .why = "because",
                              .compare = false,
                              .strict = false};
  const auto back = *RewindRequest::Of(Rewound(request));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->ToJson(), request.ToJson());
  EXPECT_THAT(Message(RewindRequest::Of({.rewind = "{}"}).status()),
              HasSubstr("is set by gyre rewind alone"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
