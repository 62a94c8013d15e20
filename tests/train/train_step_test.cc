#include "gyre/train/step/train_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <vector>

#include "gyre/collectives/local/local_world.h"
#include "gyre/train/records/findings.h"
#include "gyre/train/step/train_state.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// LossesTrainStep of `steps` steps, as rank 0 sees them; every rank must see
// the same.
std::vector<double> LossesTrainStep(int ranks,
                                    int steps,
                                    const LineOptions& options = {}) {
  std::vector<std::vector<double>> losses(ranks);
  LocalWorld world(ranks);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), comm.size());
    for (int i = 0; i < steps; ++i) {
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      EXPECT_TRUE(report.hashes_equal);
      losses[comm.rank()].push_back(report.loss);
    }
    EXPECT_EQ(step->plans_compiled(), 1);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
  for (int r = 1; r < ranks; ++r) EXPECT_EQ(losses[r], losses[0]);
  return losses[0];
}

TEST(TrainStep, LearnsALine) {
  const std::vector<double> losses = LossesTrainStep(1, 300);
  EXPECT_LT(losses.back(), 0.02 * losses.front());
}

TEST(TrainStep, AnyNumberOfRanksTrainsAlike) {
  const std::vector<double> one = LossesTrainStep(1, 50);
  EXPECT_EQ(LossesTrainStep(1, 50), one);
  for (const int ranks : {2, 4, 8}) {
    const std::vector<double> many = LossesTrainStep(ranks, 50);
    EXPECT_EQ(LossesTrainStep(ranks, 50), many) << ranks;
    for (int i = 0; i < 50; ++i) {
      EXPECT_NEAR(many[i], one[i], 1e-4 * std::abs(one[i])) << ranks;
    }
  }
}

// Masks that leave most ranks empty: the mean is still the global one.
TEST(TrainStep, EmptyShardsDoNotChangeTheLoss) {
  LineOptions options;
  options.loss = [](Var pred, const BatchVars& b) {
    const Var rare = b["y"] > 2.0;
    return masked_mean(square(pred - b["y"]), rare);
  };
  const std::vector<double> one = LossesTrainStep(1, 30, options);
  const std::vector<double> eight = LossesTrainStep(8, 30, options);
  for (int i = 0; i < 30; ++i) {
    EXPECT_NEAR(eight[i], one[i], 1e-4 * std::abs(one[i]) + 1e-7) << i;
  }
}

TEST(TrainStep, AnEmptyWorldGivesZeroAndSaysWhere) {
  LocalWorld world(2);
  LineOptions options;
  const int line = __LINE__ + 3;
  options.loss = [](Var pred, const BatchVars& b) {
    const Var never = b["y"] > 1e9;
    return mse(pred, b["y"]) + masked_mean(square(pred), never);
  };
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), comm.size());
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    EXPECT_TRUE(report.applied);
    EXPECT_EQ(report.empty_masks.size(), 1u);
    if (!report.empty_masks.empty()) {
      EXPECT_EQ(report.empty_masks[0].ToString(),
                Cat("train_step_test.cc:", line));
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

TEST(TrainStep, ASkipChangesNothingAndNamesRankTensorAndSamples) {
  LocalWorld world(4);
  LineOptions options;
  options.inject = "nan_grad@rank=2,step=3,tensor=layer1.w,element=5";
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), comm.size());
    for (int i = 0; i < 5; ++i) {
      const auto all = step->state().front().all();
      const std::vector<float> before(all.begin(), all.end());
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      EXPECT_EQ(report.applied, i != 3);
      EXPECT_TRUE(report.hashes_equal);
      const auto now = step->state().front().all();
      const bool same = std::equal(before.begin(), before.end(), now.begin());
      EXPECT_EQ(same, i == 3);
      if (i != 3) continue;
      EXPECT_EQ(report.injected, comm.rank() == 2 ? 1 : 0);
      GYRE_ASSIGN_OR_RETURN(const auto found,
                            GatherFindings(*step, report, source));
      EXPECT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].rank, 2);
      EXPECT_EQ(found[0].tensors[0].tensor, "layer1.w");
      EXPECT_EQ(found[0].tensors[0].first_element, 5);
      EXPECT_EQ(found[0].samples, source.SampleIds(3, 2));
    }
    EXPECT_EQ(step->state().guard().attempted, 5);
    EXPECT_EQ(step->state().guard().applied, 4);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

TEST(TrainStep, HaltEndsOnEveryRankAndObserveLetsThrough) {
  for (const auto policy : {optim::Policy::kHalt, optim::Policy::kObserve}) {
    LocalWorld world(2);
    LineOptions options;
    options.guard.policy = policy;
    options.inject = "inf_grad@rank=1,step=0";
    const Status status = world.Run([&](Communicator& comm) -> Status {
      GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
      LineSource source(comm.rank(), comm.size());
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      const bool halt = policy == optim::Policy::kHalt;
      EXPECT_EQ(report.outcome.ok(), !halt);
      EXPECT_EQ(report.applied, !halt);
      EXPECT_EQ(step->state().ParamsFinite(), halt);
      if (halt) {
        EXPECT_EQ(KindOf(report.outcome), ErrorKind::kGuard);
      }
      return OkStatus();
    });
    EXPECT_TRUE(status.ok()) << Message(status);
  }
}

TEST(TrainStep, ATensorMayHaveALearningRateOfItsOwn) {
  LocalWorld world(1);
  const auto scale = [](const optim::TensorSlot& t) {
    return t.name == "layer0.w" ? 0.0 : 1.0;
  };
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step,
                          MakeLineStep(comm, {.lr_scale = scale}));
    LineSource source(0, 1);
    GYRE_ASSIGN_OR_RETURN(const Tensor still, step->Parameter("layer0.w"));
    GYRE_ASSIGN_OR_RETURN(const Tensor moves, step->Parameter("layer1.w"));
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
    GYRE_RETURN_IF_ERROR(step->Run(batch).status());
    GYRE_ASSIGN_OR_RETURN(const Tensor same, step->Parameter("layer0.w"));
    GYRE_ASSIGN_OR_RETURN(const Tensor moved, step->Parameter("layer1.w"));
    EXPECT_EQ(same.data<float>()[0], still.data<float>()[0]);
    EXPECT_NE(moved.data<float>()[0], moves.data<float>()[0]);
    const auto bad = MakeLineStep(
        comm, {.lr_scale = [](const optim::TensorSlot&) { return -1.0; }});
    EXPECT_THAT(Message(bad.status()), HasSubstr("lr_scale"));
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

TEST(TrainStep, AFaultOfAStepIsNotInTheForecastAfterIt) {
  LocalWorld world(1);
  LineOptions options;
  options.inject = "nan_act@rank=0,step=0";
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(0, 1);
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    EXPECT_FALSE(report.applied);
    EXPECT_EQ(report.injected, 1);
    EXPECT_EQ(report.faults.size(), 1u);
    GYRE_ASSIGN_OR_RETURN(const Tensor forecast, step->Predict(batch));
    for (const float y : forecast.data<float>()) EXPECT_FALSE(std::isnan(y));
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

std::string CompileErrorTrainStep(const LossFunction& loss) {
  std::string message;
  LocalWorld world(2);
  std::mutex mutex;
  (void)world.Run([&](Communicator& comm) -> Status {
    LineOptions options;
    options.loss = loss;
    const auto step = MakeLineStep(comm, options);
    const std::lock_guard<std::mutex> lock(mutex);
    if (!step.ok()) message = Message(step.status());
    return OkStatus();
  });
  return message;
}

TEST(TrainStep, ALossThatVariesSaysWhatToWrite) {
  EXPECT_THAT(CompileErrorTrainStep([](Var pred, const BatchVars& b) {
                return sum(square(pred - b["y"]), {0, 1});
              }),
              HasSubstr("still differs from rank to rank over data=2; finish "
                        "it with mean()"));
}

TEST(TrainStep, ALossThatIsNoScalarIsRefused) {
  EXPECT_THAT(
      CompileErrorTrainStep([](Var pred, const BatchVars&) { return pred; }),
      HasSubstr("must be an f32 scalar"));
  EXPECT_THAT(CompileErrorTrainStep([](Var pred, const BatchVars& b) {
                return mean(pred - b["z"]);
              }),
              HasSubstr("no tensor \"z\""));
}

TEST(TrainStep, ABatchOfAnotherShapeNamesItsSamples) {
  LocalWorld world(1);
  const Status status = world.Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    SampleBatch batch;
    batch.sample_ids = {17, 18};
    batch.tensors = {{"x", Tensor::Zeros({2, 2})},
                     {"y", Tensor::Zeros({2, 1})}};
    return step->Run(batch).status();
  });
  EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
  EXPECT_THAT(Message(status), HasSubstr("f32 (8, 2), got f32 (2, 2)"));
  EXPECT_THAT(Message(status), HasSubstr("samples 17 18"));
}

// Flips one bit of one rank's parameters: the next step must see it.
TEST(TrainStep, SeesParametersThatDiffer) {
  LocalWorld world(2);
  const Status status = world.Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    LineSource source(comm.rank(), comm.size());
    std::vector<float> all(step->state().front().all().begin(),
                           step->state().front().all().end());
    if (comm.rank() == 1) all[0] = std::nextafter(all[0], 9.0f);
    step->state().Restore(all, {}, 0);
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    EXPECT_FALSE(report.hashes_equal);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

}  // namespace
}  // namespace gyre::internal::inline tests
