// The storm job under five guards and three seeds: the table of
// docs/case_study.md, as Markdown.
//
//   case_study [steps]
//
// Four ranks as threads. "The article's formula" is the guard that the idea of
// this project comes from: it takes the norm first and removes what is not
// finite afterwards, so one NaN makes the clip's factor NaN. It exists here
// alone, as a stage behind a guard that lets everything through.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "apps/weather_loss/evaluate.h"
#include "apps/weather_loss/losses.h"
#include "apps/weather_loss/model.h"
#include "apps/weather_loss/pairs.h"
#include "apps/weather_loss/skill.h"
#include "apps/weather_loss/source.h"
#include "apps/weather_loss/statistics.h"
#include "apps/weather_loss/storm_data.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/tensor_stage.h"
#include "gyre/train/step/train_state.h"
#include "gyre/train/step/train_step.h"

namespace gyre::weather {

using namespace internal;

namespace {

constexpr int kRanks = 4;
constexpr double kClip = 10;

// norm = |g|; g = 0 where not finite; g = g min(1, clip / norm), with a
// minimum that lets NaN through. By tensor, since a stage sees one at a time.
struct ArticleFormula {
  static constexpr int kStates = 0;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }
  template <class T>
  void Transform(const optim::TensorArgs<T>& t,
                 const Scalars&,
                 const optim::TensorTraits&) const {
    const double norm = std::sqrt(optim::SumOfSquares(t.u, t.size));
    const double factor = std::isnan(norm) ? norm : std::min(1.0, kClip / norm);
    for (std::int64_t i = 0; i < t.size; ++i) {
      const T g = std::isfinite(t.u[i]) ? t.u[i] : T{0};
      t.u[i] = static_cast<T>(g * factor);
    }
  }
};

struct Variant {
  const char* name;
  std::function<optim::AnyOptimizer(std::int64_t steps)> optimizer;
};

optim::WarmupCosine Rate(std::int64_t steps) {
  return {.peak = 3e-3, .warmup = 20, .total = steps};
}

Variant Policy(const char* name, optim::Policy policy) {
  return {name, [policy](std::int64_t steps) {
            return optim::AnyOptimizer(
                optim::Chain(optim::Guard{.policy = policy, .max_norm = kClip},
                             optim::Adam(Rate(steps))));
          }};
}

std::vector<Variant> Variants() {
  return {Policy("observe (no guard)", optim::Policy::kObserve),
          {"the article's formula",
           [](std::int64_t steps) {
             return optim::AnyOptimizer(
                 optim::Chain(optim::Guard{.policy = optim::Policy::kObserve},
                              ArticleFormula{},
                              optim::Adam(Rate(steps))));
           }},
          Policy("zero", optim::Policy::kZero),
          Policy("skip", optim::Policy::kSkip),
          Policy("drop_rank", optim::Policy::kDropRank)};
}

struct Data {
  Fields fields;
  Statistics statistics;
  PairSplit split;
};

StatusOr<Data> LoadData() {
  Data data;
  GYRE_ASSIGN_OR_RETURN(data.fields, LoadFields("", 1));
  GYRE_ASSIGN_OR_RETURN(data.statistics,
                        ComputeStatistics(data.fields, kTrainSteps));
  data.split = SplitPairs(data.fields, kTrainSteps);
  return data;
}

struct Row {
  optim::GuardState guard;
  std::int64_t first_bad = -1;  // step after which a parameter is not finite
  bool finite = true;
  SkillReport skill;
};

Status RunRank(Communicator& comm,
               const Data& data,
               const Variant& variant,
               std::uint64_t seed,
               std::int64_t steps,
               Row& row) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
  GYRE_ASSIGN_OR_RETURN(
      const Sampler sampler,
      Sampler::Create(
          mesh,
          {.samples = static_cast<std::int64_t>(data.split.train.size()),
           .batch = kRanks,
           .seed = seed}));
  GYRE_ASSIGN_OR_RETURN(const BatchBuilder builder,
                        BatchBuilder::Create(data.fields, data.statistics));
  const Constants constants = builder.Constants();
  PairSource source(builder, data.split.train, sampler);
  GYRE_ASSIGN_OR_RETURN(const SampleBatch example, source.Load(0));
  GYRE_ASSIGN_OR_RETURN(
      const auto step,
      TrainStep::Compile({.mesh = mesh,
                          .model = StormNet{32, 1, 5, constants},
                          .loss = StormLoss{constants, 0.1, 0},
                          .optimizer = variant.optimizer(steps),
                          .example = example,
                          .seed = seed}));
  std::int64_t first_bad = -1;
  for (std::int64_t i = 0; i < steps; ++i) {
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    GYRE_RETURN_IF_ERROR(report.outcome);
    if (first_bad < 0 && !step->state().ParamsFinite()) first_bad = i;
  }
  GYRE_ASSIGN_OR_RETURN(
      const Tensor forecasts,
      Forecast(*step, builder, data.split.test, sampler.per_rank()));
  if (comm.rank() != 0) return OkStatus();
  row.guard = step->state().guard();
  row.first_bad = first_bad;
  row.finite = step->state().ParamsFinite();
  GYRE_ASSIGN_OR_RETURN(
      row.skill,
      ComputeSkill(data.fields, data.split.test, forecasts, kTrainSteps));
  return OkStatus();
}

void Print(const Variant& variant, std::uint64_t seed, const Row& row) {
  const auto number = [](std::optional<double> x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", x.value_or(NAN));
    return std::string(text);
  };
  std::printf(
      "| %s | %llu | %lld of %lld | %s | %s | %s | %s |\n",
      variant.name,
      static_cast<unsigned long long>(seed),
      static_cast<long long>(row.guard.skipped),
      static_cast<long long>(row.guard.attempted),
      row.finite ? "yes" : Cat("no, since step ", row.first_bad).c_str(),
      number(row.skill.channels[kP].skill).c_str(),
      number(row.skill.storm.bias_hpa).c_str(),
      number(row.skill.storm.rmse_hpa).c_str());
  std::fflush(stdout);
}

Status Main(std::int64_t steps) {
  GYRE_ASSIGN_OR_RETURN(const Data data, LoadData());
  std::printf(
      "| guard | seed | steps lost | finite at the end | skill of p | storm "
      "bias, hPa | storm RMSE, hPa |\n|---|---|---|---|---|---|---|\n");
  for (const Variant& variant : Variants()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Row row;
      LocalWorld world(kRanks);
      GYRE_RETURN_IF_ERROR(world.Run([&](Communicator& comm) {
        return RunRank(comm, data, variant, seed, steps, row);
      }));
      Print(variant, seed, row);
    }
  }
  return OkStatus();
}

}  // namespace
}  // namespace gyre::weather

int main(int argc, char** argv) {
  const gyre::Status status =
      gyre::weather::Main(argc > 1 ? std::atoll(argv[1]) : 1500);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", gyre::Message(status).c_str());
  return 1;
}
