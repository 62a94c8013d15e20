// What the guard and its statistics cost: steps with them and without, in
// turns. A program of its own: the two sides must share one run.
//
//   guard_bench
//
// Without: no scan of the gradient, no hash of the parameters. The norm is
// taken on both sides, since the clip needs it.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "apps/weather_loss/losses.h"
#include "apps/weather_loss/model.h"
#include "apps/weather_loss/pairs.h"
#include "apps/weather_loss/source.h"
#include "apps/weather_loss/statistics.h"
#include "apps/weather_loss/storm_data.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/core/check.h"
#include "gyre/core/rng.h"
#include "gyre/models/losses.h"
#include "gyre/models/mlp.h"
#include "gyre/optim/adam.h"
#include "gyre/train/step/compile.h"
#include "gyre/train/step/train_step.h"
#include "tests/bench/cpu_watch.h"

namespace gyre::internal::inline tests::bench {

namespace {

struct Job {
  std::unique_ptr<Communicator> world = *MakeSingleRank();
  std::unique_ptr<TrainStep> step;
  std::unique_ptr<TrainStep> unguarded;
  SampleBatch batch;
};

// Ends a step without a look at the gradient.
class UnguardedEnd final : public StepEnd {
 public:
  using StepEnd::StepEnd;

 private:
  Status Inspect(int, int, const float*) override { return OkStatus(); }
};

void Compile(Job& job,
             ModelFunction model,
             LossFunction loss,
             DType compute = DType::kF32) {
  const auto mesh = Mesh::Create(*job.world, {{"data", -1}});
  GYRE_CHECK(mesh.ok());
  TrainSpec spec = {.mesh = *mesh,
                    .model = std::move(model),
                    .loss = std::move(loss),
                    .optimizer = optim::Chain(optim::Guard{.max_norm = 1},
                                              optim::AdamW(1e-4)),
                    .example = job.batch,
                    .seed = 1,
                    .compute = compute};
  auto step = TrainStep::Compile(spec);
  GYRE_CHECK(step.ok(), Message(step.status()));
  job.step = *std::move(step);
  spec.checks.every = spec.checks.states_every = 0;
  auto parts = CompileParts(spec, [](const StepEnd::Parts& of_end) {
    return std::make_unique<UnguardedEnd>(of_end);
  });
  GYRE_CHECK(parts.ok(), Message(parts.status()));
  job.unguarded = std::make_unique<TrainStep>(*std::move(parts));
}

Tensor Normal(Shape shape, std::uint32_t stream) {
  Tensor tensor = Tensor::Zeros(std::move(shape));
  const Rng rng({.seed = 3, .step = 0, .stream = stream});
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.data<float>()[i] = rng.Normal(i);
  }
  return tensor;
}

void MakeMlp(Job& job, DType compute = DType::kF32) {
  job.batch.tensors = {{"x", Normal({256, 1024}, 0)},
                       {"y", Normal({256, 1024}, 1)}};
  Compile(
      job,
      [](Params& p, const BatchVars& b) {
        return Mlp{{1024, 1024, 1024, 1024, 1024}}(p, b["x"]);
      },
      [](Var pred, const BatchVars& b) { return mse(pred, b["y"]); },
      compute);
}

Status MakeStorm(Job& job) {
  using namespace weather;  // NOLINT: a benchmark of that application
  GYRE_ASSIGN_OR_RETURN(const Fields fields, LoadFields("synthetic", 1));
  GYRE_ASSIGN_OR_RETURN(const Statistics statistics,
                        ComputeStatistics(fields, kTrainSteps));
  const PairSplit split = SplitPairs(fields, kTrainSteps);
  GYRE_ASSIGN_OR_RETURN(const BatchBuilder builder,
                        BatchBuilder::Create(fields, statistics));
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                        Mesh::Create(*job.world, {{"data", -1}}));
  GYRE_ASSIGN_OR_RETURN(
      const Sampler sampler,
      Sampler::Create(mesh, {.samples = std::ssize(split.train), .batch = 4}));
  PairSource source(builder, split.train, sampler);
  GYRE_ASSIGN_OR_RETURN(job.batch, source.Load(0));
  const Constants constants = builder.Constants();
  Compile(job, StormNet{32, 1, 5, constants}, StormLoss{constants, 0.1, 2.0});
  return OkStatus();
}

double Seconds(TrainStep& step, const SampleBatch& batch, int steps) {
  const CpuWatch watch;
  for (int i = 0; i < steps; ++i) {
    const auto report = step.Run(batch);
    GYRE_CHECK(report.ok() && report->applied, "a step failed");
  }
  return watch.Seconds() / steps;
}

double Median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

// Medians of turns, and of the ratios of neighbours.
template <class First, class Second>
void Compare(const char* name,
             const char* first_name,
             First first,
             const char* second_name,
             Second second) {
  std::vector<double> a, b, ratio;
  first();
  second();
  for (int turn = 0; turn < 41; ++turn) {
    // Who goes first changes, so that a drift favours neither.
    if (turn % 2 == 0) a.push_back(first());
    b.push_back(second());
    if (turn % 2 != 0) a.push_back(first());
    ratio.push_back(a.back() / b.back());
  }
  std::printf("%-12s %s %9.3f ms   %s %9.3f ms   ratio %.4f\n",
              name,
              first_name,
              1e3 * Median(a),
              second_name,
              1e3 * Median(b),
              Median(ratio));
}

void CompareGuard(const char* name, Job& job, int steps) {
  Compare(
      name,
      "guard on",
      [&] { return Seconds(*job.step, job.batch, steps); },
      "off",
      [&] { return Seconds(*job.unguarded, job.batch, steps); });
}

void Main() {
  Job storm, mlp, half;
  GYRE_CHECK(MakeStorm(storm).ok());
  CompareGuard("storm job", storm, 8);
  MakeMlp(mlp);
  CompareGuard("large MLP", mlp, 2);
  MakeMlp(half, DType::kBF16);
  Compare(
      "large MLP",
      "bf16",
      [&] { return Seconds(*half.step, half.batch, 2); },
      "f32",
      [&] { return Seconds(*mlp.step, mlp.batch, 2); });
}

}  // namespace
}  // namespace gyre::internal::inline tests::bench

int main() { gyre::internal::bench::Main(); }
