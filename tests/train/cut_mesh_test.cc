#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "gyre/collectives/local/local_world.h"
#include "gyre/optim/lamb.h"
#include "gyre/optim/schedule.h"
#include "gyre/train/step/train_state.h"
#include "tests/train/layouts.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// "cut weights": tensors that every rank holds, and parts over "model".
Program CutWeights() { return AllPrograms()[1]; }

using Look = std::function<void(const TrainStep&, const StepReport&, int rank)>;

// Five steps on four ranks; looks after each. Counts the ranks on which a
// step that was not applied left every bit as it was.
void OnCutMesh(const LayoutOptions& options, const Look& look) {
  const Program program = CutWeights();
  LocalWorld world(4);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step,
                          MakeLayoutStep(comm, {2, 2, 1}, program, options));
    for (int i = 0; i < 5; ++i) {
      const auto all = step->state().front().all();
      const std::vector<float> before(all.begin(), all.end());
      GYRE_ASSIGN_OR_RETURN(const StepReport report,
                            step->Run(program.load(step->mesh(), i)));
      const auto now = step->state().front().all();
      const bool same = std::equal(before.begin(), before.end(), now.begin());
      EXPECT_EQ(same, !report.applied) << "step " << i;
      EXPECT_TRUE(report.hashes_equal);
      look(*step, report, comm.rank());
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

std::string CompileErrorCutMesh(const LayoutOptions& options) {
  const Program program = CutWeights();
  LocalWorld world(4);
  const Status status = world.Run([&](Communicator& comm) {
    return MakeLayoutStep(comm, {2, 2, 1}, program, options).status();
  });
  return status.ok() ? "" : Message(status);
}

TEST(CutMesh, ABadPartOfOneRankIsSkippedByAll) {
  for (const bool shards : {false, true}) {
    OnCutMesh({.shard_states = shards,
               .inject = "nan_grad@rank=3,step=2,tensor=up.w,element=1"},
              [](const TrainStep& step, const StepReport& report, int) {
                EXPECT_EQ(report.applied, report.step != 2);
                if (report.step != 2) return;
                ASSERT_EQ(report.verdict.ranks.size(), 1u);
                EXPECT_EQ(report.verdict.ranks[0].rank, 3);
                EXPECT_EQ(
                    step.state().layout()[report.verdict.ranks[0].tensor].name,
                    "up.w");
              });
  }
}

// The new values of one part are bad, which the ranks of other parts cannot
// see.
TEST(CutMesh, ABadUpdateOfOnePartIsSkippedByAll) {
  for (const bool shards : {false, true}) {
    OnCutMesh({.shard_states = shards,
               .inject = "inf_update@step=1,tensor=down.w,element=0"},
              [](const TrainStep&, const StepReport& report, int) {
                EXPECT_EQ(report.applied, report.step != 1);
                if (report.step != 1) return;
                EXPECT_EQ(report.verdict.reasons, optim::kReasonUpdate);
              });
  }
}

TEST(CutMesh, StatesInPartsTakeTheirShareOfTheMemory) {
  std::vector<std::int64_t> kept(2);
  for (const bool shards : {false, true}) {
    OnCutMesh({.shard_states = shards},
              [&](const TrainStep& step, const StepReport&, int rank) {
                if (rank != 0) return;
                const auto all = static_cast<std::int64_t>(
                    step.state().front().all().size());
                kept[shards] = all - step.state().layout().elements();
              });
  }
  // Two ranks share each state; the padding is at most a line a range.
  EXPECT_LE(kept[1], kept[0] / 2 + 2 * 2 * 16);
}

TEST(CutMesh, RefusesWhatPartsCannotDo) {
  const optim::Guard drop{.policy = optim::Policy::kDropRank};
  EXPECT_THAT(
      CompileErrorCutMesh({.optimizer = optim::Chain(drop, optim::Adam(1e-2))}),
      HasSubstr("drop_rank takes the mean over the healthy ranks"));
  const auto lamb = optim::Chain(optim::Guard{}, optim::Lamb(1e-2));
  EXPECT_THAT(CompileErrorCutMesh({.optimizer = lamb}),
              HasSubstr("up.w is cut over model=2"));
  EXPECT_THAT(CompileErrorCutMesh({.shard_states = true, .optimizer = lamb}),
              HasSubstr("shard_states cuts tensors between ranks"));
  EXPECT_THAT(CompileErrorCutMesh({.batch_axes = {"dta"}}),
              HasSubstr("no axis \"dta\"; it has data=2 x model=2 x space=1"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
