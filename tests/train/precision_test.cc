// Layers in bf16, f16 and f64, with parameters, reductions and losses in f32.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gyre/autodiff/plan/plan.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/core/rng.h"
#include "gyre/models/batch_norm.h"
#include "gyre/models/layers.h"
#include "gyre/models/transformer.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

constexpr optim::LossScale kScale{.initial = 1024, .growth_interval = 20};

std::vector<double> Losses(const LineOptions& options, int steps) {
  std::vector<double> losses;
  LocalWorld world(2);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), comm.size());
    for (int i = 0; i < steps; ++i) {
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      EXPECT_TRUE(report.hashes_equal);
      EXPECT_TRUE(report.outcome.ok());
      if (comm.rank() == 0) losses.push_back(report.loss);
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
  return losses;
}

TEST(Precision, HalfTypesTrainLikeF32) {
  const std::vector<double> wide = Losses({}, 120);
  const std::vector<double> bf16 = Losses({.compute = DType::kBF16}, 120);
  const std::vector<double> f16 =
      Losses({.guard = {.loss_scale = kScale}, .compute = DType::kF16}, 120);
  EXPECT_NE(bf16, wide);
  EXPECT_NEAR(bf16[0], wide[0], 0.02 * wide[0]);
  EXPECT_NEAR(f16[0], wide[0], 0.005 * wide[0]);
  EXPECT_LT(bf16.back(), 0.1 * bf16[0]);
  EXPECT_LT(f16.back(), 0.1 * f16[0]);
}

// The same training, to the rounding of f32, with all of model and loss in
// f64.
TEST(Precision, TheWholeProgramCanBeF64) {
  const std::vector<double> narrow = Losses({}, 20);
  const std::vector<double> wide = Losses({.compute = DType::kF64}, 20);
  EXPECT_NE(wide, narrow);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    EXPECT_NEAR(wide[i], narrow[i], 1e-5 * narrow[i]) << i;
  }
  LocalWorld world(1);
  const Status status = world.Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step,
                          MakeLineStep(comm, {.compute = DType::kF64}));
    int products = 0;
    for (const Node& node : step->program().plan().graph().nodes) {
      if (node.op->name() != "matmul") continue;
      ++products;
      for (const ValueId id : node.inputs) {
        EXPECT_EQ(step->program().plan().graph().values[id].spec.dtype,
                  DType::kF64);
      }
    }
    EXPECT_GE(products, 4);
    LineSource source(0, 1);
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
    GYRE_ASSIGN_OR_RETURN(const Tensor prediction, step->Predict(batch));
    EXPECT_EQ(prediction.dtype(), DType::kF32);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

TEST(Precision, ProductsAreInTheComputeType) {
  LocalWorld world(1);
  const Status status = world.Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step,
                          MakeLineStep(comm, {.compute = DType::kBF16}));
    int products = 0;
    for (const Node& node : step->program().plan().graph().nodes) {
      if (node.op->name() != "matmul") continue;
      ++products;
      for (const ValueId id : node.inputs) {
        EXPECT_EQ(step->program().plan().graph().values[id].spec.dtype,
                  DType::kBF16);
      }
    }
    EXPECT_GE(products, 4);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

// Attention, convolution and every normalisation, in both half types: one
// step whose loss is that of f32 but for rounding.
TEST(Precision, EveryLayerTakesPart) {
  SampleBatch batch;
  batch.tensors = {{"seq", Tensor::Zeros({2, 4, 8})},
                   {"field", Tensor::Zeros({2, 3, 6, 6})}};
  const Rng rng({.seed = 5, .step = 0, .stream = 0});
  for (auto& [name, tensor] : batch.tensors) {
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      tensor.data<float>()[i] = rng.Normal(i);
    }
  }
  const auto loss_in = [&](DType compute) {
    double loss = 0;
    const Status status = LocalWorld(1).Run([&](Communicator& comm) -> Status {
      GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                            Mesh::Create(comm, {{"data", -1}}));
      GYRE_ASSIGN_OR_RETURN(
          const auto step,
          TrainStep::Compile(
              {.mesh = mesh,
               .model =
                   [](Params& p, const BatchVars& b) {
                     const Var t =
                         transformer_block(p, "block", b["seq"], {.heads = 2});
                     Var h = conv(p, "conv", b["field"], 4);
                     h = relu(batch_norm(p, "batch", h));
                     h = group_norm(p, "group", conv(p, "more", h, 4), 2);
                     return mean(square(t)) + mean(square(h + 0.5));
                   },
               .loss = [](Var pred, const BatchVars&) { return pred; },
               .optimizer =
                   optim::Chain(optim::Guard{.loss_scale = {.initial = 256}},
                                optim::Adam(1e-3)),
               .example = batch,
               .seed = 2,
               .compute = compute}));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      EXPECT_TRUE(report.applied)
          << report.verdict.Describe(step->state().layout());
      loss = report.loss;
      return OkStatus();
    });
    EXPECT_TRUE(status.ok()) << Message(status);
    return loss;
  };
  const double wide = loss_in(DType::kF32);
  EXPECT_NEAR(loss_in(DType::kBF16) / wide, 1, 0.02);
  EXPECT_NEAR(loss_in(DType::kF16) / wide, 1, 0.005);
  EXPECT_NEAR(loss_in(DType::kF64) / wide, 1, 1e-5);
}

std::string CompileError(const LineOptions& options) {
  std::string message;
  (void)LocalWorld(1).Run([&](Communicator& comm) -> Status {
    message = Message(MakeLineStep(comm, options).status());
    return OkStatus();
  });
  return message;
}

TEST(Precision, F16NeedsALossScale) {
  EXPECT_THAT(CompileError({.compute = DType::kF16}),
              HasSubstr("Guard{.loss_scale"));
  EXPECT_THAT(CompileError({.compute = DType::kI32}),
              HasSubstr("must be f32, bf16, f16 or f64"));
}

// Saved with a scale of 512 and growth half done: the run that goes on from
// the file is the one that was not interrupted, to the bit.
TEST(Precision, ResumesWithItsScaleAndItsNorms) {
  const TempDir temp;
  const LineOptions options{
      .guard = {.spike = {.action = optim::SpikeAction::kSkip, .warmup = 5},
                .loss_scale = kScale},
      .inject = "inf_grad@rank=0,step=3",
      .compute = DType::kF16};
  LocalWorld world(1);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    LineSource source(0, 1);
    const auto run = [&](TrainStep& step, int until) -> Status {
      while (step.next_step() < until) {
        GYRE_ASSIGN_OR_RETURN(const SampleBatch batch,
                              source.Load(step.next_step()));
        GYRE_RETURN_IF_ERROR(step.Run(batch).status());
      }
      return OkStatus();
    };
    GYRE_ASSIGN_OR_RETURN(const auto whole, MakeLineStep(comm, options));
    GYRE_ASSIGN_OR_RETURN(const auto resumed, MakeLineStep(comm, options));
    GYRE_RETURN_IF_ERROR(run(*whole, 11));
    EXPECT_EQ(whole->state().guard().loss_scale.scale, 512);
    EXPECT_EQ(whole->state().guard().loss_scale.good_steps, 7);
    GYRE_ASSIGN_OR_RETURN(const RunDirectory dir,
                          RunDirectory::Create(temp.path() + "/run"));
    GYRE_RETURN_IF_ERROR(SaveCheckpoint(*whole, dir).status());
    GYRE_RETURN_IF_ERROR(LoadCheckpoint(dir.path(), *resumed));
    EXPECT_EQ(resumed->state().guard(), whole->state().guard());
    GYRE_RETURN_IF_ERROR(run(*whole, 40));
    GYRE_RETURN_IF_ERROR(run(*resumed, 40));
    EXPECT_EQ(HashState(resumed->state()).common,
              HashState(whole->state()).common);
    EXPECT_EQ(resumed->state().guard(), whole->state().guard());
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

}  // namespace
}  // namespace gyre::internal::inline tests
