// A custom loss from end to end; README.md shows it.

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/models/mlp.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/optim/schedule.h"
#include "gyre/runtime/run_main.h"
#include "gyre/train/function_source.h"
#include "gyre/train/loop.h"
#include "gyre/train/start_run.h"

using namespace gyre;

// Right on paper, and NaN wherever the model predicts 0 or less.
Var LogLoss(Var pred, const BatchVars& batch) {
  return mean(square(log(pred) - log(batch["y"])));
}

std::map<std::string, Tensor> Points(std::span<const std::int64_t> ids) {
  Tensor x = Tensor::Zeros({std::ssize(ids), 1}), y = x.Clone();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    x.data<float>()[i] = ids[i] / 128.0f - 1;
    y.data<float>()[i] = 1.1f + x.data<float>()[i];
  }
  return {{"x", x}, {"y", y}};
}

Status Train(World& world) {
  GYRE_ASSIGN_OR_RETURN(auto mesh, Mesh::Create(world.comm(), {{"data", -1}}));
  GYRE_ASSIGN_OR_RETURN(auto order,
                        Sampler::Create(mesh, {.samples = 256, .batch = 16}));
  FunctionSource data(order, Points);
  GYRE_ASSIGN_OR_RETURN(auto example, data.Load(0));
  const TrainSpec spec = {
      .mesh = mesh,
      .model =
          [](Params& p, const BatchVars& b) {
            return 1.0 + Mlp{{16, 1}}(p, b["x"]);
          },
      .loss = LogLoss,
      .optimizer = optim::Chain(optim::Guard{.max_norm = 1},
                                optim::Adam(optim::Constant{1e-2})),
      .example = example};
  GYRE_ASSIGN_OR_RETURN(auto step, TrainStep::Compile(spec));
  GYRE_ASSIGN_OR_RETURN(auto run, StartRun(mesh, "runs/first"));
  return RunTraining(*step, data, run, {.steps = 300}).status();
}

int main() { return RunMain(Train); }
