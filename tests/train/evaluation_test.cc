// The program that evaluates: no dropout, running statistics, no targets.

#include "gyre/train/step/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/random.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/models/batch_norm.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/chain.h"
#include "gyre/optim/ema.h"
#include "gyre/optim/sgd.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline tests {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

Tensor Numbers(Shape shape, std::vector<float> values) {
  Tensor tensor(DType::kF32, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.data<float>().begin());
  return tensor;
}

// x, y: (batch, 1) on each rank.
SampleBatch Column(std::vector<float> x, float y = 0) {
  const auto rows = static_cast<std::int64_t>(x.size());
  SampleBatch batch;
  batch.tensors["y"] = Numbers({rows, 1}, std::vector<float>(x.size(), y));
  batch.tensors["x"] = Numbers({rows, 1}, std::move(x));
  return batch;
}

Var SquaredLoss(Var pred, const BatchVars& b) {
  return mean(square(pred - b["y"]));
}

StatusOr<std::unique_ptr<TrainStep>> MakeStep(Communicator& comm,
                                              const ModelFunction& model,
                                              const SampleBatch& example,
                                              optim::AnyOptimizer optimizer) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
  return TrainStep::Compile({.mesh = mesh,
                             .model = model,
                             .loss = SquaredLoss,
                             .optimizer = optimizer,
                             .example = example,
                             .checks = {.samples = false}});
}

Var DropsHalf(Params& params, const BatchVars& b) {
  const Var w = params.Get("w", {1}, Ones());
  return dropout(b["x"] * w, 0.5, {.seed = 7, .name = "d"});
}

Var Normalised(Params& params, const BatchVars& b) {
  return batch_norm(params, "norm", b["x"]);
}

// Still, so that only the running statistics move.
optim::AnyOptimizer StandStill() {
  return optim::Chain(optim::Guard{}, optim::Sgd(0.0));
}

template <class Body>
void OnRanks(int ranks, const Body& body) {
  LocalWorld world(ranks);
  const Status status = world.Run(body);
  EXPECT_TRUE(status.ok()) << ranks << " ranks: " << Message(status);
}

TEST(Evaluation, DropsNothing) {
  for (const int ranks : {1, 2, 4}) {
    OnRanks(ranks, [&](Communicator& comm) -> Status {
      const SampleBatch ones = Column(std::vector<float>(16, 1.0f));
      GYRE_ASSIGN_OR_RETURN(const auto step,
                            MakeStep(comm, DropsHalf, ones, StandStill()));
      for (int i = 0; i < 3; ++i) {
        GYRE_RETURN_IF_ERROR(step->Run(ones).status());
        GYRE_ASSIGN_OR_RETURN(const Tensor all, step->Predict(ones));
        EXPECT_THAT(all.data<float>(), Each(1.0f));
      }
      // While training does: of 16 ones, some are 0 and the others 2.
      const Tensor trained = step->program().prediction();
      EXPECT_THAT(trained.data<float>(), Not(Each(1.0f)));
      EXPECT_EQ(step->plans_compiled(), 2);
      return OkStatus();
    });
  }
}

// 200 steps of [1, 2, 3, 4]: mean 2.5, variance 1.25.
TEST(Evaluation, ASampleDoesNotDependOnItsNeighbours) {
  for (const int ranks : {1, 2, 4}) {
    OnRanks(ranks, [&](Communicator& comm) -> Status {
      const SampleBatch batch = Column({1, 2, 3, 4});
      GYRE_ASSIGN_OR_RETURN(const auto step,
                            MakeStep(comm, Normalised, batch, StandStill()));
      for (int i = 0; i < 200; ++i) {
        GYRE_RETURN_IF_ERROR(step->Run(batch).status());
      }
      GYRE_ASSIGN_OR_RETURN(const Tensor before,
                            step->state().Buffer("norm.mean"));
      for (const float neighbour : {2.0f, 1.0f, 100.0f}) {
        GYRE_ASSIGN_OR_RETURN(
            const Tensor y,
            step->Predict(Column({1, neighbour, neighbour, neighbour})));
        EXPECT_NEAR(y.data<float>()[0], -1.341635, 2e-6);
      }
      GYRE_ASSIGN_OR_RETURN(const Tensor after,
                            step->state().Buffer("norm.mean"));
      EXPECT_EQ(before.data<float>()[0], after.data<float>()[0]);
      return OkStatus();
    });
  }
}

TEST(Evaluation, GivesTheLossOfAllRanks) {
  for (const int ranks : {1, 2, 4}) {
    OnRanks(ranks, [&](Communicator& comm) -> Status {
      const auto r = static_cast<float>(comm.rank());
      const SampleBatch mine = Column({r, r});
      GYRE_ASSIGN_OR_RETURN(const auto step,
                            MakeStep(comm, DropsHalf, mine, StandStill()));
      GYRE_ASSIGN_OR_RETURN(const EvalReport report, step->Evaluate(mine));
      double mean = 0;
      for (int k = 0; k < comm.size(); ++k) mean += double{1} * k * k;
      EXPECT_NEAR(report.loss, mean / comm.size(), 1e-6);
      return OkStatus();
    });
  }
}

TEST(Evaluation, PredictsWithoutTargets) {
  OnRanks(2, [&](Communicator& comm) -> Status {
    const SampleBatch whole = Column({1, 2, 3, 4});
    GYRE_ASSIGN_OR_RETURN(const auto step,
                          MakeStep(comm, DropsHalf, whole, StandStill()));
    SampleBatch inputs = whole;
    inputs.tensors.erase("y");
    GYRE_ASSIGN_OR_RETURN(const Tensor y, step->Predict(inputs));
    EXPECT_EQ(y.data<float>()[3], 4.0f);
    // But the loss needs them, and the prediction needs its inputs.
    EXPECT_THAT(Message(step->Evaluate(inputs).status()),
                HasSubstr("batch tensor \"y\": the plan was compiled for f32 "
                          "(4, 1), got none"));
    inputs.tensors.erase("x");
    EXPECT_THAT(Message(step->Predict(inputs).status()),
                HasSubstr("batch tensor \"x\""));
    return OkStatus();
  });
}

TEST(Evaluation, TakesTheMeanOfTheParameters) {
  OnRanks(2, [&](Communicator& comm) -> Status {
    const SampleBatch batch = Column({1, 1}, 3);
    const auto chain = optim::Chain(optim::Guard{},
                                    optim::ScaleByLearningRate{0.1},
                                    optim::TrackEma{.decay = 0.5});
    const ModelFunction line = [](Params& params, const BatchVars& b) {
      return b["x"] * params.Get("w", {1}, Zeros());
    };
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeStep(comm, line, batch, chain));
    EXPECT_THAT(Message(step->Predict(batch, {.use_ema = true}).status()),
                HasSubstr("no step was applied yet"));
    std::vector<double> w;
    for (int i = 0; i < 3; ++i) {
      GYRE_RETURN_IF_ERROR(step->Run(batch).status());
      GYRE_ASSIGN_OR_RETURN(const Tensor now, step->Parameter("w"));
      w.push_back(now.data<float>()[0]);
    }
    const double mean = (w[0] + 2 * w[1] + 4 * w[2]) / 7;
    GYRE_ASSIGN_OR_RETURN(const Tensor y,
                          step->Predict(batch, {.use_ema = true}));
    EXPECT_NEAR(y.data<float>()[0], mean, 1e-6);
    GYRE_ASSIGN_OR_RETURN(const EvalReport report,
                          step->Evaluate(batch, {.use_ema = true}));
    EXPECT_NEAR(report.loss, (mean - 3) * (mean - 3), 1e-5);
    GYRE_ASSIGN_OR_RETURN(const Tensor last, step->Predict(batch));
    EXPECT_FLOAT_EQ(last.data<float>()[0], static_cast<float>(w[2]));
    return OkStatus();
  });
}

TEST(Evaluation, MeansAreAskedForWhereThereAreNone) {
  OnRanks(1, [&](Communicator& comm) -> Status {
    const SampleBatch batch = Column({1});
    GYRE_ASSIGN_OR_RETURN(const auto step,
                          MakeStep(comm, DropsHalf, batch, StandStill()));
    EXPECT_THAT(Message(step->Predict(batch, {.use_ema = true}).status()),
                HasSubstr("end its chain with optim::TrackEma{}"));
    return OkStatus();
  });
}

TEST(Evaluation, AModelWithOtherParametersIsRefused) {
  OnRanks(1, [&](Communicator& comm) -> Status {
    const SampleBatch batch = Column({1});
    const ModelFunction changes = [](Params& params, const BatchVars& b) {
      return b["x"] * params.Get(params.training() ? "w" : "v", {1}, Ones());
    };
    GYRE_ASSIGN_OR_RETURN(const auto step,
                          MakeStep(comm, changes, batch, StandStill()));
    EXPECT_THAT(Message(step->Predict(batch).status()),
                HasSubstr("the model that evaluates has a parameter \"v\" (1), "
                          "and the one that trains has none"));
    return OkStatus();
  });
}

}  // namespace
}  // namespace gyre::internal::inline tests
