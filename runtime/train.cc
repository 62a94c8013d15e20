#include "gyre/runtime/train.h"

#include <utility>

#include "gyre/monitor/run_directory.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/checkpoint/resume.h"
#include "gyre/train/data/load_batch.h"
#include "gyre/train/run/start_run.h"

namespace gyre {

using namespace internal;

namespace {

Status CheckOptions(const TrainOptions& options) {
  const auto missing = [](const char* member, const char* what) {
    return ConfigError("Train: ", member, " is not set: ", what);
  };
  if (options.data == nullptr) {
    return missing(".data", "a Dataset such as FunctionDataset(...)");
  }
  if (options.model == nullptr) {
    return missing(".model", "a function of Params and BatchVars");
  }
  if (options.loss == nullptr) {
    return missing(".loss", "a function of the prediction and BatchVars");
  }
  if (options.run.directory.empty()) {
    return missing(".run.directory", "a path such as \"runs/first\"");
  }
  if (options.run.steps <= 0) {
    return ConfigError("Train: .run.steps is ",
                       options.run.steps,
                       ": a number of steps above 0 was expected");
  }
  return OkStatus();
}

}  // namespace

Dataset FunctionDataset(SamplerOptions options, LoadFunction load) {
  return [options = std::move(options), load = std::move(load)](
             const Mesh& mesh) -> StatusOr<std::unique_ptr<BatchSource>> {
    GYRE_ASSIGN_OR_RETURN(Sampler sampler, Sampler::Create(mesh, options));
    return std::make_unique<FunctionSource>(std::move(sampler), load);
  };
}

Status Train(World& world, const TrainOptions& options) {
  GYRE_RETURN_IF_ERROR(CheckOptions(options));
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                        Mesh::Create(world.comm(), {{"data", -1}}));
  GYRE_ASSIGN_OR_RETURN(const std::unique_ptr<BatchSource> data,
                        options.data(mesh));
  GYRE_ASSIGN_OR_RETURN(const SampleBatch example,
                        LoadBatch(*data, 0, world.rank()));
  const TrainSpec spec = {.mesh = mesh,
                          .model = options.model,
                          .loss = options.loss,
                          .optimizer = options.optimizer,
                          .example = example,
                          .seed = options.seed,
                          .probe_every = options.probe_every};
  GYRE_ASSIGN_OR_RETURN(const std::unique_ptr<TrainStep> step,
                        TrainStep::Compile(spec));
  const RunOptions& run = options.run;
  GYRE_ASSIGN_OR_RETURN(const std::string from,
                        ResumePoint(mesh, run.directory, run.resume));
  if (!from.empty()) GYRE_RETURN_IF_ERROR(LoadCheckpoint(from, *step));
  GYRE_ASSIGN_OR_RETURN(const RunDirectory directory,
                        StartRun(mesh, run.directory, from));
  return RunTraining(*step,
                     *data,
                     directory,
                     {.steps = run.steps,
                      .checkpoint_every = run.checkpoint_every,
                      .keep_checkpoints = run.keep_checkpoints,
                      .hooks = run.hooks})
      .status();
}

}  // namespace gyre
