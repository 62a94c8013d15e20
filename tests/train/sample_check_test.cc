#include "gyre/train/step/sample_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gyre/autodiff/ops/arrange.h"
#include "gyre/autodiff/ops/random.h"
#include "gyre/models/ensemble.h"
#include "gyre/optim/guard.h"
#include "gyre/train/data/function_source.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "gyre/train/step/train_state.h"
#include "tests/support/backends.h"
#include "tests/support/paper_rank.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Ids = std::vector<std::int64_t>;

ControlRecord Told(std::uint32_t samples, std::uint32_t flags = 0) {
  ControlRecord record;
  record.note.value = samples;
  record.note.flags = flags;
  return record;
}

TEST(SampleCheck, HashesMustDifferOnBatchAxesAlone) {
  PaperRank paper(0, 4);
  const Mesh mesh = *Mesh::Create(paper, {{"data", 2}, {"member", 2}});
  const AxisSet data = 1, all = 3;
  const auto right = [&](AxisSet axes, std::vector<ControlRecord> told) {
    return SamplesLookRight(mesh, axes, told);
  };
  EXPECT_TRUE(right(data, {Told(5), Told(5), Told(7), Told(7)}));
  EXPECT_TRUE(right(all, {Told(5), Told(6), Told(7), Told(8)}));
  EXPECT_FALSE(right(data, {Told(5), Told(6), Told(7), Told(7)}));
  EXPECT_FALSE(right(data, {Told(5), Told(5), Told(5), Told(5)}));
  EXPECT_FALSE(right(all, {Told(5), Told(6), Told(7), Told(5)}));
  // No ids, and a count of bad elements in their place.
  EXPECT_TRUE(right(data, {Told(0), Told(0), Told(0), Told(0)}));
  EXPECT_TRUE(
      right(data, {Told(5), Told(3, optim::kBadGradient), Told(7), Told(7)}));
}

TEST(SampleCheck, TheHashOfNoSamplesIsNone) {
  EXPECT_EQ(SamplesHash({}), 0u);
  EXPECT_NE(SamplesHash(Ids{0}), 0u);
  EXPECT_NE(SamplesHash(Ids{1, 2}), SamplesHash(Ids{2, 1}));
}

// Ranks that are processes tell by their exit code.
bool IsMismatch(const Status& status) {
  return KindOf(status) == ErrorKind::kMismatch ||
         Message(status).starts_with("exit code 5,");
}

// Compares these ids, by rank, on a mesh data x member; what rank 0 hears.
Status Compare(const std::string& backend,
               std::vector<MeshAxis> axes,
               const std::vector<Ids>& ids) {
  const auto body = [&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, axes));
    GYRE_ASSIGN_OR_RETURN(const AxisSet batch, mesh.Axes({"data"}));
    const Status status = CompareSamples(mesh, batch, ids[comm.rank()], 3);
    // All hear the same; the others are done, so that one of them speaks.
    GYRE_RETURN_IF_ERROR(comm.Barrier({.label = "compared"}));
    return status;
  };
  return RunOn(backend, static_cast<int>(ids.size()), body);
}

TEST(SampleCheck, NamesRanksAndSamplesOnEveryBackend) {
  for (const std::string& backend : kAllBackends) {
    SCOPED_TRACE(backend);
    EXPECT_TRUE(Compare(backend, {{"data", 2}}, {{1, 2}, {3, 4}}).ok());
    const Status same =
        Compare(backend, {{"data", 2}}, {{165, 4, 9}, {7, 4, 165}});
    EXPECT_TRUE(IsMismatch(same)) << same;
    EXPECT_THAT(Message(same),
                HasSubstr("ranks 0 and 1 load the same samples (165, 4) in "
                          "step 3: was the rank given to the source?"));
    const Status other =
        Compare(backend, {{"data", 1}, {"member", 2}}, {{165, 4}, {7, 8}});
    EXPECT_TRUE(IsMismatch(other)) << other;
    EXPECT_THAT(Message(other),
                AllOf(HasSubstr("ranks 0 and 1 load other samples, (165, 4) "
                                "and (7, 8), in step 3"),
                      HasSubstr("member=2")));
  }
}

TEST(SampleCheck, KnowsWhoIsWhoOnAMesh) {
  const std::vector<MeshAxis> axes = {{"data", 2}, {"member", 2}};
  for (const std::string backend : {"local", "shm", "scattered"}) {
    SCOPED_TRACE(backend);
    EXPECT_TRUE(Compare(backend, axes, {{1, 2}, {1, 2}, {3}, {3}}).ok());
    EXPECT_TRUE(Compare(backend, axes, {{1, 2}, {}, {}, {3}}).ok());
    EXPECT_THAT(Message(Compare(backend, axes, {{1}, {1}, {3}, {2}})),
                HasSubstr("ranks 2 and 3 load other samples"));
    EXPECT_THAT(Message(Compare(backend, axes, {{1}, {1}, {1}, {1}})),
                HasSubstr("ranks 0 and 2 load the same samples (1)"));
    // The order counts: the tensors have it.
    EXPECT_THAT(Message(Compare(backend, axes, {{1, 2}, {2, 1}, {3}, {3}})),
                HasSubstr("ranks 0 and 1 load other samples"));
  }
}

TEST(SampleCheck, AnEndOfManySamplesIsCut) {
  EXPECT_THAT(Message(Compare(
                  "local", {{"data", 2}}, {{1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}})),
              HasSubstr("the same samples (1, 2, 3, 4, ...)"));
}

std::map<std::string, Tensor> Points(std::span<const std::int64_t> ids) {
  Tensor x = Tensor::Zeros({std::ssize(ids), 1}), y = x.Clone();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    x.data<float>()[i] = static_cast<float>(ids[i]) / 32 - 1;
    y.data<float>()[i] = 0.5f + x.data<float>()[i];
  }
  return {{"x", x}, {"y", y}};
}

// A source whose ranks load what `of` says.
class WrongSource final : public BatchSource {
 public:
  using Of = std::function<int(std::int64_t step, int rank)>;
  WrongSource(const Mesh& mesh, Of of)
      : sampler_(*Sampler::Create(mesh, {.samples = 32, .batch = 8})),
        of_(std::move(of)) {}

  StatusOr<SampleBatch> Load(std::int64_t step) override {
    SampleBatch batch;
    batch.sample_ids = sampler_.Ids(step, of_(step, sampler_.rank()));
    batch.tensors = Points(batch.sample_ids);
    return batch;
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return sampler_.Ids(step, rank);
  }

 private:
  Sampler sampler_;
  Of of_;
};

struct EnsembleRun {
  std::vector<MeshAxis> axes;
  std::vector<std::string> batch_axes;  // of the step
  std::vector<std::string> sampled;     // of the sampler
};

// Members with noise of their own, scored against one truth.
Status TrainEnsemble(Communicator& comm, const EnsembleRun& e, double& loss) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, e.axes));
  GYRE_ASSIGN_OR_RETURN(
      const Sampler sampler,
      Sampler::Create(mesh,
                      {.samples = 64, .batch = 8, .batch_axes = e.sampled}));
  FunctionSource source(sampler, Points);
  GYRE_ASSIGN_OR_RETURN(const SampleBatch example, source.Load(0));
  const TrainSpec spec = {
      .mesh = mesh,
      .model =
          [](Params& p, const BatchVars& b) {
            const Var w = p.Get("w", {1}, Ones());
            const Var x = vary_over(b["x"], "member");
            return x * w + 0.1 * normal_like(x, {.name = "member"});
          },
      .loss =
          [](Var pred, const BatchVars& b) {
            return crps(expand_dims(pred, 0), b["y"], "member");
          },
      .optimizer = optim::Chain(optim::Guard{.max_norm = 1}, optim::Adam(1e-2)),
      .example = example,
      .batch_axes = e.batch_axes,
  };
  GYRE_ASSIGN_OR_RETURN(const auto step, TrainStep::Compile(spec));
  for (int i = 0; i < 3; ++i) {
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    GYRE_RETURN_IF_ERROR(report.outcome);
    if (comm.rank() == 0) loss = report.loss;
  }
  return OkStatus();
}

TEST(SampleCheck, MembersOfAnEnsembleMustSeeTheSameSamples) {
  for (const int ranks : {2, 4}) {
    for (const std::string backend : {"local", "grpc", "hosts"}) {
      SCOPED_TRACE(Cat(backend, " ", ranks));
      EnsembleRun e{.axes = {{"data", ranks / 2}, {"member", 2}},
                    .batch_axes = {"data"},
                    .sampled = {"data"}};
      double loss = -1;
      const auto train = [&](Communicator& comm) {
        double mine = -1;
        const Status status = TrainEnsemble(comm, e, mine);
        if (comm.rank() == 0) loss = mine;
        return status;
      };
      const Status right = RunOn(backend, ranks, train);
      EXPECT_TRUE(right.ok()) << right;
      if (NameOf(backend) == "local" || backend == "hosts") {
        EXPECT_GT(loss, 0);
      }
      e.sampled = {};
      const Status wrong = RunOn(backend, ranks, train);
      EXPECT_TRUE(IsMismatch(wrong)) << wrong;
      EXPECT_THAT(Message(wrong), HasSubstr("load other samples"));
    }
  }
}

// One rank of a run whose ranks load what they should not.
Status TrainWrong(Communicator& comm,
                  const WrongSource::Of& of,
                  bool checked,
                  std::int64_t& steps) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
  WrongSource source(mesh, of);
  GYRE_ASSIGN_OR_RETURN(const SampleBatch example, source.Load(0));
  const TrainSpec spec = {
      .mesh = mesh,
      .model = [](Params& p,
                  const BatchVars& b) { return Mlp{{1}}(p, b["x"]); },
      .loss = [](Var pred, const BatchVars& b) { return mse(pred, b["y"]); },
      .optimizer = optim::Chain(optim::Guard{.max_norm = 1}, optim::Adam(1e-2)),
      .example = example,
      .checks = {.samples = checked},
  };
  GYRE_ASSIGN_OR_RETURN(const auto step, TrainStep::Compile(spec));
  for (int i = 0; i < 6; ++i) {
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
    const auto report = step->Run(batch);
    if (comm.rank() == 0) steps = step->state().guard().attempted;
    GYRE_RETURN_IF_ERROR(report.status());
  }
  return OkStatus();
}

TEST(SampleCheck, RanksThatAllLoadTheFirstPartAreFoundAtOnce) {
  for (const int ranks : {2, 4}) {
    std::int64_t steps = -1;
    const Status status = LocalWorld(ranks).Run([&](Communicator& comm) {
      return TrainWrong(
          comm, [](std::int64_t, int) { return 0; }, true, steps);
    });
    EXPECT_EQ(KindOf(status), ErrorKind::kMismatch) << status;
    EXPECT_THAT(Message(status),
                HasSubstr("ranks 0 and 1 load the same samples"));
    EXPECT_EQ(steps, 0);
  }
}

TEST(SampleCheck, RanksThatComeToLoadTheSameAreFoundInTheirStep) {
  for (const int ranks : {2, 4}) {
    for (const std::string backend : {"local", "scattered", "ring"}) {
      SCOPED_TRACE(Cat(backend, " ", ranks));
      std::int64_t steps = -1;
      const auto of = [ranks](std::int64_t step, int rank) {
        return step == 4 && rank == ranks - 1 ? 0 : rank;
      };
      const Status status = RunOn(backend, ranks, [&](Communicator& comm) {
        return TrainWrong(comm, of, true, steps);
      });
      EXPECT_EQ(KindOf(status), ErrorKind::kMismatch) << status;
      EXPECT_THAT(Message(status),
                  AllOf(HasSubstr(Cat("ranks 0 and ", ranks - 1, " load")),
                        HasSubstr("in step 4")));
      EXPECT_EQ(steps, 4);
    }
  }
}

TEST(SampleCheck, ASourceThatDrawsWithReplacementIsLetThrough) {
  std::int64_t steps = -1;
  const Status status = LocalWorld(2).Run([&](Communicator& comm) {
    return TrainWrong(
        comm, [](std::int64_t, int) { return 0; }, false, steps);
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(steps, 6);
}

TEST(SampleCheck, OneRankHasNobodyToCompareWith) {
  std::int64_t steps = -1;
  const Status status = LocalWorld(1).Run([&](Communicator& comm) {
    return TrainWrong(
        comm, [](std::int64_t, int) { return 0; }, true, steps);
  });
  EXPECT_TRUE(status.ok()) << status;
}

// The run ends with the error on every rank, and it is in the records.
TEST(SampleCheck, TheLoopEndsWithTheError) {
  TempDir dir;
  std::vector<Status> ends(2);
  const Status status = LocalWorld(2).Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    LineSource source(0, 2);  // of rank 0, on both
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          StartRun(step->mesh(), dir.path() + "/run"));
    ends[comm.rank()] = RunTraining(*step, source, run, {.steps = 4}).status();
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  for (const Status& end : ends) {
    EXPECT_EQ(KindOf(end), ErrorKind::kMismatch) << end;
    EXPECT_THAT(Message(end), HasSubstr("ranks 0 and 1 load the same samples"));
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
