// State of the model that no gradient moves: committed with an applied step,
// untouched to the bit by a skipped one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "gyre/autodiff/ops/collective.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/models/batch_norm.h"
#include "gyre/models/layers.h"
#include "gyre/monitor/run_directory.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/step/train_state.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

ModelFunction Normalised() {
  return [](Params& p, const BatchVars& b) {
    const Var h = batch_norm(p, "norm", linear(p, "in", b["x"], 8));
    return linear(p, "out", tanh(h), 1);
  };
}

StatusOr<std::unique_ptr<TrainStep>> MakeStep(Communicator& comm,
                                              const ModelFunction& model,
                                              const std::string& inject = "") {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
  GYRE_ASSIGN_OR_RETURN(const FaultPlan faults, FaultPlan::Parse(inject));
  LineSource source(comm.rank(), comm.size());
  GYRE_ASSIGN_OR_RETURN(const SampleBatch example, source.Load(0));
  return TrainStep::Compile(
      {.mesh = mesh,
       .model = model,
       .loss = [](Var pred, const BatchVars& b) { return mse(pred, b["y"]); },
       .optimizer = optim::Chain(optim::Guard{}, optim::Adam(3e-2)),
       .example = example,
       .seed = 4,
       .faults = faults});
}

std::vector<std::uint32_t> Bits(std::span<const float> values) {
  std::vector<std::uint32_t> bits;
  for (const float x : values) bits.push_back(std::bit_cast<std::uint32_t>(x));
  return bits;
}

// Case D8 of the guard's reference cases.
TEST(Buffers, ASkippedStepLeavesThemBitEqual) {
  LocalWorld world(2);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(
        const auto step,
        MakeStep(comm,
                 Normalised(),
                 "nan_grad@rank=1,step=2,tensor=out.w,element=0"));
    LineSource source(comm.rank(), comm.size());
    for (int i = 0; i < 5; ++i) {
      const auto before = Bits(step->state().front().buffers());
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      EXPECT_EQ(report.applied, i != 2);
      EXPECT_TRUE(report.hashes_equal);
      EXPECT_EQ(Bits(step->state().front().buffers()) == before, i == 2) << i;
    }
    EXPECT_EQ(step->plans_compiled(), 1);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

TEST(Buffers, RunningStatisticsFollowTheWorldsBatch) {
  std::vector<float> means;
  for (const int ranks : {1, 2}) {
    LocalWorld world(ranks);
    const Status status = world.Run([&](Communicator& comm) -> Status {
      GYRE_ASSIGN_OR_RETURN(const auto step, MakeStep(comm, Normalised()));
      LineSource source(comm.rank(), comm.size());
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
      GYRE_RETURN_IF_ERROR(step->Run(batch).status());
      GYRE_ASSIGN_OR_RETURN(const Tensor mean,
                            step->state().Buffer("norm.mean"));
      if (comm.rank() == 0) means.push_back(mean.data<float>()[0]);
      return OkStatus();
    });
    ASSERT_TRUE(status.ok()) << Message(status);
  }
  EXPECT_NE(means[0], 0.0f);
  EXPECT_NEAR(means[0], means[1], 1e-6);
}

// The gradients are fine, the buffer overflows: nothing of the step stays.
TEST(Buffers, ANonFiniteBufferSkipsTheStep) {
  LocalWorld world(2);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step,
                          MakeStep(comm, [](Params& p, const BatchVars& b) {
                            const Var grows = p.GetBuffer("grows", {1}, Ones());
                            p.SetBuffer("grows", grows * 1e20);
                            p.GetBuffer("still", {2}, Ones());
                            return linear(p, "out", b["x"], 1);
                          }));
    LineSource source(comm.rank(), comm.size());
    for (int i = 0; i < 3; ++i) {
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      const auto before = Bits(step->state().front().all());
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      EXPECT_EQ(report.applied, i == 0);
      if (i > 0) {
        EXPECT_THAT(report.verdict.Describe(step->state().layout()),
                    testing::HasSubstr("first in a buffer of the model"));
      }
      EXPECT_EQ(Bits(step->state().front().all()) == before, i != 0);
    }
    GYRE_ASSIGN_OR_RETURN(const Tensor still, step->state().Buffer("still"));
    EXPECT_EQ(still.data<float>()[1], 1.0f);
    EXPECT_FALSE(step->state().Buffer("other").ok());
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

TEST(Buffers, ALocalValueIsRefused) {
  LocalWorld world(2);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    return MakeStep(comm,
                    [](Params& p, const BatchVars& b) {
                      p.GetBuffer("local", {2}, Zeros());
                      p.SetBuffer("local", mean(b["x"], {0}));
                      return linear(p, "out", b["x"], 1);
                    })
        .status();
  });
  EXPECT_THAT(Message(status),
              testing::HasSubstr("\"local\" is set to a value that differs "
                                 "from rank to rank"));
}

TEST(Buffers, CheckpointsKeepThem) {
  const TempDir dir;
  LocalWorld world(1);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeStep(comm, Normalised()));
    LineSource source(0, 1);
    for (int i = 0; i < 3; ++i) {
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_RETURN_IF_ERROR(step->Run(batch).status());
    }
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(dir / "run"));
    GYRE_ASSIGN_OR_RETURN(const CheckpointInfo info,
                          SaveCheckpoint(*step, run));
    GYRE_ASSIGN_OR_RETURN(const auto other, MakeStep(comm, Normalised()));
    GYRE_RETURN_IF_ERROR(LoadCheckpoint(info.path, *other));
    EXPECT_EQ(Bits(other->state().front().all()),
              Bits(step->state().front().all()));
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

}  // namespace
}  // namespace gyre::internal::inline tests
