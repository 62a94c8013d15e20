// weather_loss: a small weather model with a custom loss, trained on real
// data, guarded. See --help, and README.md for what the numbers mean.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "apps/weather_loss/config.h"
#include "apps/weather_loss/error_maps.h"
#include "apps/weather_loss/evaluate.h"
#include "apps/weather_loss/forecast_output.h"
#include "apps/weather_loss/losses.h"
#include "apps/weather_loss/model.h"
#include "apps/weather_loss/pairs.h"
#include "apps/weather_loss/skill.h"
#include "apps/weather_loss/source.h"
#include "apps/weather_loss/statistics.h"
#include "apps/weather_loss/storm_data.h"
#include "apps/weather_loss/table.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/core/hash.h"
#include "gyre/core/io/file.h"
#include "gyre/core/log.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/optim/schedule.h"
#include "gyre/runtime/run_main.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/checkpoint/resume.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"

namespace gyre::weather {

using namespace internal;

namespace {

// All that is known of the data before training.
struct Prepared {
  Fields fields;
  Statistics statistics;
  PairSplit split;
};

StatusOr<Prepared> PrepareData(const Config& config, bool warn) {
  Prepared data;
  GYRE_ASSIGN_OR_RETURN(data.fields, LoadFields(config.data, config.seed));
  GYRE_ASSIGN_OR_RETURN(
      data.statistics, ComputeStatistics(data.fields, TrainSteps(data.fields)));
  data.split = SplitPairs(data.fields, TrainSteps(data.fields));
  if (data.split.train.empty() || data.split.test.empty()) {
    return DataError(data.fields.source,
                     ": no complete pair of fields to ",
                     data.split.train.empty() ? "train on" : "test on");
  }
  for (const std::string& text : data.fields.notes) {
    if (warn) LogInfo(text);
  }
  for (const std::string& text : data.statistics.warnings) {
    if (warn) LogWarning(text);
  }
  return data;
}

LossFunction MakeLoss(const Config& config, const Constants& constants) {
  if (config.loss == "mse") return MseLoss{constants};
  // A term of weight 0 is not in the graph: 0 * NaN is NaN.
  if (config.lambda == 0) return MseLoss{constants};
  const double scale = config.loss == "storm_softplus" ? 2.0 : 0.0;
  return StormLoss{constants, config.lambda, scale};
}

optim::AnyOptimizer MakeOptimizer(const Config& config) {
  optim::Guard guard{.policy = config.policy,
                     .max_consecutive_skips = config.max_skips};
  if (config.clip > 0) guard.max_norm = config.clip;
  if (config.spike > 0) {
    guard.spike = {.action = optim::SpikeAction::kSkip, .factor = config.spike};
  }
  if (config.compute == DType::kF16) guard.loss_scale = {.initial = 65536};
  return optim::Chain(guard,
                      optim::Adam(optim::WarmupCosine{
                          .peak = config.lr,
                          .warmup = std::min(config.warmup, config.steps - 1),
                          .total = config.steps,
                          .start = 0}));
}

Json RunJson(const Config& config,
             const Json& flags,
             const Prepared& data,
             const TrainStep& step,
             const World& world) {
  const Fields& fields = data.fields;
  Json missing = Json::ArrayOf(MissingFields(fields));
  return Json::Object(
      {{"program", "weather_loss"},
       {"config", flags},
       {"launched_by", world.launched_by()},
       {"world", step.mesh().size()},
       {"mesh", step.mesh().Describe()},
       {"collectives", step.mesh().world().backend()},
       {"reduction_order", step.mesh().world().reduction_order()},
       {"fingerprint", HexHash(step.program().plan().Fingerprint())},
       {"optimizer", step.state().optimizer().Describe()},
       {"unguarded", step.state().optimizer().guard().unguarded()},
       {"seed", config.seed},
       {"data",
        Json::Object({{"source", fields.source},
                      {"hash", HexHash(DataHash(fields))},
                      {"step_hours", fields.step_hours},
                      {"notes", Json::ArrayOf(fields.notes)},
                      {"train_pairs", data.split.train.size()},
                      {"test_pairs", data.split.test.size()},
                      {"missing_fields", std::move(missing)}})},
       {"statistics", ToJson(data.statistics)}});
}

Status PrintAndSave(const Config& config,
                    int lead_hours,
                    const RunDirectory& run,
                    const SkillReport& skill,
                    const Json& maps) {
  Json more = ToJson(skill);
  more.Set("loss", config.loss).Set("seed", config.seed);
  more.Set("lead_hours", lead_hours);
  GYRE_ASSIGN_OR_RETURN(const Json summary, run.AddToSummary(more));
  GYRE_RETURN_IF_ERROR(
      WriteFileAtomically(run.path() + "/maps.json", maps.Dump()));
  const std::string text =
      config.json ? summary.Pretty() : SummaryTable(summary, skill);
  std::fputs(text.c_str(), stdout);
  if (!config.json) std::printf("\nrun directory: %s\n", run.path().c_str());
  std::fflush(stdout);
  return OkStatus();
}

Status Run(const Config& config, const Json& flags, World& world) {
  const bool first = world.rank() == 0;
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                        Mesh::Create(world.comm(), {{"data", -1}}));
  GYRE_ASSIGN_OR_RETURN(const Prepared data, PrepareData(config, first));
  GYRE_ASSIGN_OR_RETURN(
      const Sampler sampler,
      Sampler::Create(
          mesh,
          {.samples = static_cast<std::int64_t>(data.split.train.size()),
           .batch = config.batch,
           .seed = static_cast<std::uint64_t>(config.seed),
           .ids = data.split.train}));
  GYRE_ASSIGN_OR_RETURN(const FaultPlan faults,
                        FaultPlan::Parse(config.inject));
  GYRE_ASSIGN_OR_RETURN(const BatchBuilder builder,
                        BatchBuilder::Create(data.fields, data.statistics));
  const Constants constants = builder.Constants();
  PairSource source(builder, data.split.train, sampler);
  GYRE_ASSIGN_OR_RETURN(const SampleBatch example, source.Load(0));
  GYRE_ASSIGN_OR_RETURN(
      const std::unique_ptr<TrainStep> step,
      TrainStep::Compile(
          {.mesh = mesh,
           .model =
               StormNet{config.hidden, config.depth, config.kernel, constants},
           .loss = MakeLoss(config, constants),
           .optimizer = MakeOptimizer(config),
           .example = example,
           .seed = static_cast<std::uint64_t>(config.seed),
           .faults = faults,
           .compute = config.compute,
           .micro_batches = static_cast<int>(config.micro_batches),
           .watch_activations = config.watch_activations,
           .checks = {.states_every = config.check_states_every}}));
  if (config.explain && first) {
    std::fputs(step->Explain().c_str(), stdout);
  }
  GYRE_ASSIGN_OR_RETURN(const std::string from,
                        ResumePoint(mesh, config.out, config.resume));
  if (!from.empty()) GYRE_RETURN_IF_ERROR(LoadCheckpoint(from, *step));
  GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                        StartRun(mesh, config.out, from));
  GYRE_RETURN_IF_ERROR(DoneByRankZero(
      [&] {
        return run.WriteRunJson(RunJson(config, flags, data, *step, world));
      },
      world.comm(),
      "run.json written"));
  GYRE_RETURN_IF_ERROR(
      RunTraining(*step,
                  source,
                  run,
                  {.steps = config.steps,
                   .checkpoint_every = config.checkpoint_every,
                   .keep_checkpoints = config.keep_checkpoints,
                   .telemetry_every = static_cast<int>(config.telemetry_every)})
          .status());
  GYRE_ASSIGN_OR_RETURN(
      const Tensor forecasts,
      Forecast(*step, builder, data.split.test, sampler.per_rank()));
  return DoneByRankZero(
      [&]() -> Status {
        GYRE_ASSIGN_OR_RETURN(const SkillReport skill,
                              ComputeSkill(data.fields,
                                           data.split.test,
                                           forecasts,
                                           TrainSteps(data.fields)));
        if (!config.forecasts.empty()) {
          GYRE_RETURN_IF_ERROR(
              WriteForecasts(config.forecasts,
                             data.fields,
                             data.split.test,
                             forecasts,
                             {{"title", "forecasts of weather_loss"},
                              {"source", data.fields.source},
                              {"run_directory", run.path()},
                              {"program_fingerprint",
                               HexHash(step->program().plan().Fingerprint())},
                              {"data_hash", HexHash(DataHash(data.fields))}}));
        }
        return PrintAndSave(config,
                            data.fields.step_hours,
                            run,
                            skill,
                            ErrorMaps(data.fields, data.split.test, forecasts));
      },
      world.comm(),
      "skill");
}

}  // namespace
}  // namespace gyre::weather

int main(int argc, char** argv) {
  gyre::weather::Config config;
  const gyre::Flags flags = gyre::weather::MakeFlags(config);
  const auto parsed = flags.Parse(argc, argv);
  if (parsed.ok() && *parsed == gyre::ParseResult::kHelpShown) return 0;
  const gyre::Status ready =
      parsed.ok() ? gyre::weather::CheckConfig(config) : parsed.status();
  return gyre::RunMain([&](gyre::World& world) -> gyre::Status {
    GYRE_RETURN_IF_ERROR(ready);
    return gyre::weather::Run(config, flags.ToJson(), world);
  });
}
