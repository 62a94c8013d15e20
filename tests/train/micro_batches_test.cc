#include "gyre/train/step/micro_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gyre/collectives/local/local_world.h"
#include "gyre/train/records/findings.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"
#include "tests/support/special_numbers.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Outcome {
  std::vector<float> params;
  StepReport report;
  std::vector<RankFindings> found;
};

// One step on a world of `ranks`; `spoil` may change a rank's batch.
Outcome OneStep(int ranks,
                const LineOptions& options,
                const std::function<void(int rank, SampleBatch&)>& spoil) {
  Outcome outcome;
  LocalWorld world(ranks);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), comm.size());
    GYRE_ASSIGN_OR_RETURN(SampleBatch batch, source.Load(0));
    spoil(comm.rank(), batch);
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    std::vector<RankFindings> found;
    for (const MicroFinding& micro : report.micro) {
      GYRE_ASSIGN_OR_RETURN(found,
                            GatherFindings(*step, report, source, micro));
    }
    if (comm.rank() != 0) return OkStatus();
    const auto all = step->state().front().all();
    outcome.params.assign(all.begin(), all.end());
    outcome.report = report;
    outcome.found = found;
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
  return outcome;
}

void Leave(int, SampleBatch&) {}

// The rows [begin, end) of a rank's x become NaN.
auto Spoil(int rank, int begin, int end) {
  return [=](int me, SampleBatch& batch) {
    if (me != rank) return;
    for (int i = 2 * begin; i < 2 * end; ++i) {
      batch.tensors["x"].data<float>()[i] = kNan;
    }
  };
}

void ExpectNear(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i], b[i], 1e-5 + 1e-4 * std::abs(a[i])) << i;
  }
}

TEST(MicroBatch, TheMeanIsThatOfTheWholeBatch) {
  const Outcome whole = OneStep(2, {}, Leave);
  for (const int parts : {2, 4}) {
    const Outcome cut = OneStep(2, {.micro_batches = parts}, Leave);
    EXPECT_TRUE(cut.report.applied);
    EXPECT_EQ(cut.report.accepted_micro_batches, parts);
    EXPECT_NEAR(cut.report.loss, whole.report.loss, 1e-5);
    EXPECT_NEAR(cut.report.verdict.norm, whole.report.verdict.norm, 1e-5);
    ExpectNear(cut.params, whole.params);
  }
}

// Two micro-batches of two rows; the second of rank 1 is bad. What remains is
// a step on the first two rows of every rank.
// x_i = 0.1 (i + 1), y_i = 1 + 0.05 i (i mod 3) as (32, 1), of which 8, 1, 2
// and 5 count in the four micro-batches: a quarter of the loss and of the
// gradient of each would be another number.
SampleBatch Ragged(int ranks, int rank) {
  constexpr int kCounted[] = {8, 1, 2, 5};
  SampleBatch batch;
  for (const char* name : {"x", "y", "m"}) {
    batch.tensors[name] = Tensor(DType::kF32, {32 / ranks, 1});
  }
  // Micro-batch k of all ranks together is rows 8 k to 8 k + 7.
  const int rows = 8 / ranks;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < rows; ++j) {
      const int row = rank * rows + j, i = 8 * k + row, at = k * rows + j;
      batch.tensors["x"].data<float>()[at] = 0.1f * (i + 1);
      batch.tensors["y"].data<float>()[at] = 1 + 0.05f * i * (i % 3);
      batch.tensors["m"].data<float>()[at] = row < kCounted[k] ? 1 : 0;
    }
  }
  return batch;
}

TEST(MicroBatch, AMaskedMeanIsThatOfTheWholeBatch) {
  for (const int ranks : {1, 2, 4}) {
    for (const int parts : {1, 2, 4}) {
      LocalWorld world(ranks);
      const Status status = world.Run([&](Communicator& comm) -> Status {
        GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                              Mesh::Create(comm, {{"data", -1}}));
        const SampleBatch batch = Ragged(ranks, comm.rank());
        const TrainSpec spec = {
            .mesh = mesh,
            .model =
                [](Params& params, const BatchVars& b) {
                  return b["x"] * params.Get("w", {1}, Zeros());
                },
            .loss =
                [](Var pred, const BatchVars& b) {
                  return masked_mean(square(pred - b["y"]), b["m"]);
                },
            .optimizer =
                optim::Chain(optim::Guard{}, optim::ScaleByLearningRate{1.0}),
            .example = batch,
            .micro_batches = parts,
            .checks = {.samples = false}};
        GYRE_ASSIGN_OR_RETURN(const auto step, TrainStep::Compile(spec));
        GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
        EXPECT_NEAR(report.loss, 3.16296875, 1e-6) << parts << " parts";
        EXPECT_TRUE(report.empty_masks.empty());
        GYRE_ASSIGN_OR_RETURN(const Tensor w, step->Parameter("w"));
        EXPECT_NEAR(w.data<float>()[0], 5.215, 2e-6) << parts << " parts";
        const auto masks = step->program().MaskSums();
        EXPECT_EQ(masks.size(), 1u);
        EXPECT_EQ(masks.at(0).sum * parts, 16);
        return OkStatus();
      });
      EXPECT_TRUE(status.ok()) << Message(status);
    }
  }
}

TEST(MicroBatch, ABadOneIsLeftOutOnAllRanks) {
  const Outcome hit = OneStep(2, {.micro_batches = 2}, Spoil(1, 2, 4));
  EXPECT_TRUE(hit.report.applied);
  EXPECT_EQ(hit.report.verdict.reasons, 0u);
  EXPECT_EQ(hit.report.accepted_micro_batches, 1);
  ASSERT_EQ(hit.report.micro.size(), 1u);
  EXPECT_EQ(hit.report.micro[0].index, 1);
  EXPECT_EQ(hit.report.micro[0].verdict.action, optim::Action::kSkip);
  ASSERT_EQ(hit.found.size(), 1u);
  EXPECT_EQ(hit.found[0].rank, 1);
  LineSource source(1, 2);
  const auto samples = source.SampleIds(0, 1);
  EXPECT_THAT(hit.found[0].samples, ElementsAre(samples[2], samples[3]));

  // The same with the first rows in both halves: the mean of one is its own.
  const auto repeat = [](int, SampleBatch& batch) {
    for (auto& [name, tensor] : batch.tensors) {
      float* data = tensor.data<float>().data();
      const std::int64_t half = tensor.elements() / 2;
      std::copy_n(data, half, data + half);
    }
  };
  ExpectNear(hit.params, OneStep(2, {.micro_batches = 2}, repeat).params);
}

TEST(MicroBatch, IfAllAreBadTheStepIsSkipped) {
  const Outcome hit = OneStep(2, {.micro_batches = 2}, Spoil(0, 0, 4));
  EXPECT_FALSE(hit.report.applied);
  EXPECT_EQ(hit.report.accepted_micro_batches, 0);
  EXPECT_EQ(hit.report.verdict.action, optim::Action::kSkip);
  EXPECT_TRUE(hit.report.outcome.ok());
}

TEST(MicroBatch, FollowsThePolicy) {
  LineOptions options{.micro_batches = 2};
  options.guard.policy = optim::Policy::kHalt;
  const Outcome halt = OneStep(2, options, Spoil(0, 0, 1));
  EXPECT_FALSE(halt.report.applied);
  EXPECT_EQ(KindOf(halt.report.outcome), ErrorKind::kGuard);

  options.guard.policy = optim::Policy::kDropRank;
  const Outcome drop = OneStep(2, options, Spoil(0, 0, 1));
  EXPECT_TRUE(drop.report.applied);
  EXPECT_EQ(drop.report.accepted_micro_batches, 2);
  ASSERT_EQ(drop.report.micro.size(), 1u);
  EXPECT_EQ(drop.report.micro[0].verdict.rescale, 2);
}

TEST(MicroBatch, RefusesABatchThatCannotBeCut) {
  LocalWorld world(1);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    return MakeLineStep(comm, {.micro_batches = 3}).status();
  });
  EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
  EXPECT_THAT(Message(status), HasSubstr("into 3 equal micro-batches"));
}

TEST(MicroBatch, AFaultIsInOnePart) {
  for (const char* kind : {"nan_act", "nan_grad"}) {
    LineOptions options{.micro_batches = 2};
    options.inject = Cat(kind, "@rank=0,step=0");
    const Outcome hit = OneStep(2, options, Leave);
    EXPECT_TRUE(hit.report.applied) << kind;
    EXPECT_EQ(hit.report.injected, 1) << kind;
    EXPECT_EQ(hit.report.accepted_micro_batches, 1) << kind;
    ASSERT_EQ(hit.report.micro.size(), 1u) << kind;
    EXPECT_EQ(hit.report.micro[0].index, 0) << kind;
  }
}

TEST(MicroBatch, PredictsTheWholeBatch) {
  LocalWorld world(1);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto whole, MakeLineStep(comm));
    GYRE_ASSIGN_OR_RETURN(const auto cut,
                          MakeLineStep(comm, {.micro_batches = 4}));
    LineSource source(0, 1);
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
    GYRE_ASSIGN_OR_RETURN(const Tensor a, whole->Predict(batch));
    GYRE_ASSIGN_OR_RETURN(const Tensor b, cut->Predict(batch));
    EXPECT_EQ(a.shape(), b.shape());
    for (std::int64_t i = 0; i < a.elements(); ++i) {
      EXPECT_NEAR(a.data<float>()[i], b.data<float>()[i], 1e-5);
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

}  // namespace
}  // namespace gyre::internal::inline tests
