// Trains a small network with the loss of loss.h.
//
//   my_project                          # alone
//   gyre launch -n 2 -- my_project      # the same on two processes

#include <gyre/gyre.h>

#include "loss.h"

using namespace gyre;

// The samples `ids`, of 256: y = x + 1.1 for x in [-1, 1).
std::map<std::string, Tensor> Points(std::span<const std::int64_t> ids) {
  Tensor x = Tensor::Zeros({std::ssize(ids), 1});
  Tensor y = x.Clone();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    x.data<float>()[i] = static_cast<float>(ids[i]) / 128.0f - 1;
    y.data<float>()[i] = x.data<float>()[i] + 1.1f;
  }
  return {{"x", x}, {"y", y}};
}

Var Model(Params& params, const BatchVars& batch) {
  return 1.0 + Mlp{{16, 1}}(params, batch["x"]);
}

Status TrainOn(World& world) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                        Mesh::Create(world.comm(), {{"data", -1}}));
  GYRE_ASSIGN_OR_RETURN(
      const Sampler sampler,
      Sampler::Create(mesh, {.samples = 256, .batch = 16}));
  FunctionSource data(sampler, Points);
  GYRE_ASSIGN_OR_RETURN(const SampleBatch example, data.Load(0));
  GYRE_ASSIGN_OR_RETURN(
      const auto step,
      TrainStep::Compile({
          .mesh = mesh,
          .model = Model,
          .loss = Loss,
          .optimizer = optim::Chain(optim::Guard{.max_norm = 1},
                                    optim::Adam(1e-2)),
          .example = example,
      }));
  GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                        StartRun(mesh, "runs/my_project"));
  GYRE_ASSIGN_OR_RETURN(const RunSummary summary,
                        RunTraining(*step, data, run, {.steps = 300}));
  if (world.rank() == 0) {
    GYRE_RETURN_IF_ERROR(run.WriteSummary(summary.ToJson(*step)));
    std::printf("my_project: loss %.4f after %lld steps, %lld skipped\n",
                summary.last_loss,
                static_cast<long long>(summary.counters.attempted),
                static_cast<long long>(summary.counters.skipped));
  }
  return OkStatus();
}

int main() { return RunMain(TrainOn); }
