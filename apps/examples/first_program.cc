#include "apps/runtime/run_main.h"
#include "autodiff/ops/elementwise.h"
#include "autodiff/ops/reduce.h"
#include "models/mlp.h"
#include "optim/adam.h"
#include "optim/any_optimizer.h"
#include "optim/schedule.h"
#include "train/function_source.h"
#include "train/loop.h"

using namespace gyre;

// Right on paper, and NaN wherever the model predicts 0 or less.
Var LogLoss(Var pred, const BatchVars& batch) {
  return mean(square(log(pred) - log(batch["y"])));
}

int main() {
  return RunMain([](World& world) -> Status {
    GYRE_ASSIGN_OR_RETURN(auto mesh, Mesh::Create(world.comm(), {{"data", -1}}));
    GYRE_ASSIGN_OR_RETURN(auto sampler, Sampler::Create({256, 16, world.size()}));
    FunctionSource data(sampler, world.rank(), [](auto ids) {
      Tensor x = Tensor::Zeros({std::ssize(ids), 1}), y = x.Clone();
      for (int i = 0; i < std::ssize(ids); ++i) {
        x.data<float>()[i] = ids[i] / 128.f - 1;
        y.data<float>()[i] = 1.1f + x.data<float>()[i];
      }
      return std::map<std::string, Tensor>{{"x", x}, {"y", y}};
    });
    GYRE_ASSIGN_OR_RETURN(const auto example, data.Load(0));
    GYRE_ASSIGN_OR_RETURN(auto step, TrainStep::Compile({
        .mesh = mesh,
        .model = [](Params& p, const BatchVars& b) {
          return 1.0 + Mlp{{16, 1}}(p, b["x"]);
        },
        .loss = LogLoss,
        .optimizer = optim::Chain(optim::Guard{.max_norm = 1},
                                  optim::Adam(optim::Constant{1e-2})),
        .example = example}));
    GYRE_ASSIGN_OR_RETURN(auto run, RunDirectory::Create("runs/first", world.rank()));
    return RunTraining(*step, data, run, {.steps = 300}).status();
  });
}
