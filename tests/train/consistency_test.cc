#include "gyre/train/step/consistency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "gyre/collectives/local/local_world.h"
#include "gyre/train/step/train_state.h"
#include "tests/train/layouts.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Steps until the ranks are found to differ, at most 40; what each rank found.
std::vector<std::optional<Desync>> FindOnRanks(int ranks,
                                               const LineOptions& options) {
  std::vector<std::optional<Desync>> found(ranks);
  LocalWorld world(ranks);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), comm.size());
    for (int i = 0; i < 40; ++i) {
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      EXPECT_EQ(report.hashes_equal, !report.desync.has_value());
      if (!report.desync.has_value()) continue;
      found[comm.rank()] = report.desync;
      break;
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return found;
}

LineOptions Inject(const std::string& fault, std::int64_t states_every) {
  LineOptions options;
  options.inject = fault;
  options.checks.states_every = states_every;
  return options;
}

TEST(Consistency, OneBitOfAParameterIsFoundInItsStep) {
  for (const auto& [ranks, fault, alone] :
       {std::tuple(3, "flip_param@rank=1,step=7,tensor=layer1.w,element=2", 1),
        std::tuple(4, "flip_param@rank=3,step=7,tensor=layer1.w", 3)}) {
    for (const auto& found : FindOnRanks(ranks, Inject(fault, 16))) {
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->step, 7);
      ASSERT_EQ(found->differences.size(), 1u) << found->Describe();
      EXPECT_EQ(found->differences[0].name, "params/layer1.w");
      EXPECT_THAT(found->differences[0].ranks, ElementsAre(alone));
      EXPECT_EQ(found->differences[0].equal_before, 6);
      EXPECT_EQ(found->Describe(),
                Cat("params/layer1.w differs: rank ",
                    alone,
                    " stands against the others; equal on all ranks before "
                    "step 6"));
    }
  }
}

TEST(Consistency, OneBitOfAMomentIsFoundWhenStatesAreChecked) {
  const LineOptions options =
      Inject("flip_moment@rank=2,step=8,tensor=layer0.b,bit=31", 4);
  for (const auto& found : FindOnRanks(4, options)) {
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->step, 8);
    ASSERT_EQ(found->differences.size(), 1u) << found->Describe();
    EXPECT_EQ(found->differences[0].name, "state/0.m/layer0.b");
    EXPECT_THAT(found->differences[0].ranks, ElementsAre(2));
    EXPECT_EQ(found->differences[0].equal_before, 4);
  }
}

// A state that differs makes its parameter differ with the next update.
TEST(Consistency, BetweenTheChecksOfStatesTheParametersTell) {
  const LineOptions options =
      Inject("flip_moment@rank=0,step=9,tensor=layer0.b,bit=30", 16);
  for (const auto& found : FindOnRanks(3, options)) {
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->step, 10);
    EXPECT_EQ(found->differences[0].name, "params/layer0.b");
    EXPECT_EQ(found->differences[0].equal_before, 9);
    EXPECT_EQ(found->differences.back().name, "state/0.m/layer0.b");
    EXPECT_EQ(found->differences.back().equal_before, 0);
    EXPECT_THAT(found->Describe(), HasSubstr("so do 1 more"));
  }
}

TEST(Consistency, TwoRanksCannotTellWhich) {
  for (const auto& found :
       FindOnRanks(2, Inject("flip_param@rank=1,step=3", 16))) {
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->differences[0].ranks, IsEmpty());
    EXPECT_THAT(found->Describe(), HasSubstr("two ranks cannot tell"));
    EXPECT_THAT(found->ToJson().Dump(),
                AllOf(HasSubstr("\"tensors\":[\"params/layer0.w\"]"),
                      HasSubstr("\"ranks\":[]"),
                      HasSubstr("\"equal_before\":2")));
  }
}

TEST(Consistency, NorTwoAgainstTwo) {
  const LineOptions options =
      Inject("flip_param@rank=1,step=3;flip_param@rank=2,step=3", 16);
  for (const auto& found : FindOnRanks(4, options)) {
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->differences[0].ranks, IsEmpty());
    EXPECT_THAT(found->Describe(), HasSubstr("no majority"));
  }
}

TEST(Consistency, WithoutChecksNothingIsCompared) {
  LineOptions options = Inject("flip_param@rank=1,step=3", 0);
  options.checks.every = 0;
  for (const auto& found : FindOnRanks(3, options)) {
    EXPECT_FALSE(found.has_value());
  }
}

TEST(Consistency, EverySoManySteps) {
  LineOptions options = Inject("flip_param@rank=1,step=3,bit=22", 0);
  options.checks.every = 5;
  for (const auto& found : FindOnRanks(3, options)) {
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->step, 5);
    EXPECT_EQ(found->differences[0].equal_before, 0);
  }
}

// Finds one difference, of the name, with this rank alone.
void ExpectAlone(const StatusOr<std::optional<Desync>>& found,
                 std::string_view name,
                 int rank) {
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->differences[0].name, name);
  EXPECT_THAT((*found)->differences[0].ranks, ElementsAre(rank));
}

TEST(Consistency, CountersAndTheOrderOfSamplesCount) {
  LocalWorld world(3);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    TrainState& state = step->state();
    Consistency consistency(state, {});
    const std::vector<float> all(state.front().all().begin(),
                                 state.front().all().end());
    GYRE_ASSIGN_OR_RETURN(std::optional<Desync> found, consistency.CheckNow());
    EXPECT_FALSE(found.has_value());
    consistency.SetCursor(comm.rank() == 2 ? 5 : 4);
    ExpectAlone(consistency.CheckNow(), "order of the samples", 2);
    consistency.SetCursor(4);
    state.Restore(all, {.applied = comm.rank() == 0 ? 8 : 7}, 9);
    const auto other = consistency.CheckNow();
    ExpectAlone(other, "counters", 0);
    EXPECT_EQ((*other)->step, 9);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

// Of weights that are cut over "model", the ranks with the same part compare
// theirs.
TEST(Consistency, ThoseWithTheSamePartAreCompared) {
  const Program cut = AllPrograms()[1];
  const MeshShape shape{.data = 3, .model = 2};
  for (const bool shards : {false, true}) {
    LocalWorld world(shape.ranks());
    const Status status = world.Run([&](Communicator& comm) -> Status {
      GYRE_ASSIGN_OR_RETURN(
          const auto step,
          MakeLayoutStep(comm, shape, cut, {.shard_states = shards}));
      const int t = step->state().layout().Find("up.w");
      EXPECT_TRUE(t >= 0 && step->state().sync().tensor(t).part.is_part());
      if (t < 0) return OkStatus();
      std::vector<float> all(step->state().front().all().begin(),
                             step->state().front().all().end());
      float& value = all[step->state().layout()[t].offset];
      if (comm.rank() == 3) value = std::nextafter(value, 9.0f);
      step->state().Restore(all, {}, 0);
      GYRE_ASSIGN_OR_RETURN(const StepReport report,
                            step->Run(cut.load(step->mesh(), 0)));
      EXPECT_TRUE(report.desync.has_value());
      if (!report.desync.has_value()) return OkStatus();
      EXPECT_EQ(report.desync->differences.size(), 1u);
      EXPECT_EQ(report.desync->differences[0].name, "params/up.w");
      EXPECT_THAT(report.desync->differences[0].ranks, ElementsAre(3));
      EXPECT_EQ(report.desync->differences[0].holders, 3);
      return OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(Consistency, RefusesNegativeNumbers) {
  EXPECT_THAT(Message(RankChecks{.every = -1}.Validate()),
              HasSubstr("every -1 steps"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
