// Masks that are empty or bad in some micro-batch of a step.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/optim/chain.h"
#include "gyre/optim/sgd.h"
#include "gyre/train/step/train_step.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

constexpr int kRows = 8;
constexpr int kColumns = 4;

// Of 32 elements, eight at a time: 8, 1, 2 and 5 count.
float MaskAt(int i) {
  constexpr int kCounts[] = {8, 1, 2, 5};
  return i % 8 < kCounts[i / 8] ? 1.0f : 0.0f;
}

SampleBatch PartOfRank(int rank, int ranks) {
  const int rows = kRows / ranks;
  SampleBatch batch;
  for (const char* name : {"x", "y", "m"}) {
    batch.tensors[name] = Tensor::Zeros({rows, kColumns, 1});
  }
  for (int k = 0; k < rows * kColumns; ++k) {
    const int i = rank * rows * kColumns + k;
    batch.tensors["x"].data<float>()[k] = 0.1f * static_cast<float>(i + 1);
    batch.tensors["y"].data<float>()[k] =
        1 + 0.05f * static_cast<float>(i * (i % 3));
    batch.tensors["m"].data<float>()[k] = MaskAt(i);
  }
  return batch;
}

Var MaskedLoss(Var pred, const BatchVars& b) {
  return masked_mean(square(pred - b["y"]), b["m"]);
}

struct WeighedStep {
  StepReport report;
  double w = 0;
};

// One step of rate 1 from w = 0; `change` may spoil a rank's part.
WeighedStep StepOnMasked(
    int ranks,
    int parts,
    const LossFunction& loss,
    const std::function<void(SampleBatch&)>& change = [](SampleBatch&) {}) {
  WeighedStep result;
  LocalWorld world(ranks);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
    SampleBatch batch = PartOfRank(comm.rank(), comm.size());
    change(batch);
    GYRE_ASSIGN_OR_RETURN(
        const auto step,
        TrainStep::Compile(
            {.mesh = mesh,
             .model =
                 [](Params& params, const BatchVars& b) {
                   return b["x"] * params.Get("w", {1}, Zeros());
                 },
             .loss = loss,
             .optimizer =
                 optim::Chain(optim::Guard{}, optim::ScaleByLearningRate{1.0}),
             .example = batch,
             .micro_batches = parts,
             .checks = {.samples = false}}));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    GYRE_ASSIGN_OR_RETURN(const Tensor w, step->Parameter("w"));
    if (comm.rank() == 0) result = {report, w.data<float>()[0]};
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
  return result;
}

void EmptyFirst(SampleBatch& batch) {
  std::fill_n(batch.tensors["m"].data<float>().data(), 2 * kColumns, 0.0f);
}

// The first part counts nothing: the others are the mean.
TEST(MicroMask, AnEmptyPartWeighsNothing) {
  const WeighedStep whole = StepOnMasked(1, 1, MaskedLoss, EmptyFirst);
  const WeighedStep cut = StepOnMasked(1, 4, MaskedLoss, EmptyFirst);
  EXPECT_NEAR(cut.report.loss, whole.report.loss, 1e-6);
  EXPECT_NEAR(cut.w, whole.w, 1e-5);
}

TEST(MicroMask, AMaskOfNothingMovesNothing) {
  const WeighedStep step = StepOnMasked(2, 4, MaskedLoss, [](SampleBatch& b) {
    b.tensors["m"] = Tensor::Zeros(b.tensors["m"].shape());
  });
  EXPECT_EQ(step.report.loss, 0);
  EXPECT_EQ(step.w, 0);
}

// A bad weight spoils its own part, not the mean of the others.
TEST(MicroMask, ABadWeightTakesItsPartAlong) {
  const WeighedStep right = StepOnMasked(1, 1, MaskedLoss, EmptyFirst);
  for (const float bad : {kNan, kInf}) {
    const WeighedStep hit =
        StepOnMasked(1, 4, MaskedLoss, [bad](SampleBatch& batch) {
          batch.tensors["m"].data<float>()[0] = bad;
        });
    EXPECT_TRUE(hit.report.applied) << bad;
    EXPECT_EQ(hit.report.accepted_micro_batches, 3) << bad;
    EXPECT_NEAR(hit.report.loss, right.report.loss, 1e-6) << bad;
    EXPECT_NEAR(hit.w, right.w, 1e-5) << bad;
  }
}

// In every part: the step is skipped, not one of loss 0.
TEST(MicroMask, BadWeightsEverywhereAreSkipped) {
  const WeighedStep hit = StepOnMasked(1, 4, MaskedLoss, [](SampleBatch& b) {
    for (float& m : b.tensors["m"].data<float>()) m = kNan;
  });
  EXPECT_FALSE(hit.report.applied);
  EXPECT_EQ(hit.report.accepted_micro_batches, 0);
}

}  // namespace
}  // namespace gyre::internal::inline tests
