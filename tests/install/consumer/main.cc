// Reads like the README's first program, in a project outside the tree.
#include <gyre/gyre.h>

#include <cstdio>

#include "core/status.h"

namespace {

struct Huber {
  float delta = 1.0f;
  template <class T>
  T operator()(const T& pred, const T& target) const {
    const T e = pred - target;
    const T a = gyre::math::abs(e);
    return gyre::math::select(
        a <= delta, 0.5f * e * e, delta * (a - 0.5f * delta));
  }
};

// A function of the program's own with a name that is also one of Gyre's.
[[maybe_unused]] int Load(int x) { return x; }

std::map<std::string, gyre::Tensor> Points(std::span<const std::int64_t> ids) {
  gyre::Tensor x =
      gyre::Tensor::Zeros({static_cast<std::int64_t>(ids.size()), 1});
  gyre::Tensor y = x.Clone();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    x.data<float>()[i] = static_cast<float>(ids[i]) / 128 - 1;
    y.data<float>()[i] = 2 * x.data<float>()[i];
  }
  return {{"x", x}, {"y", y}};
}

}  // namespace

int main() {
  return gyre::RunMain([](gyre::World& world) -> gyre::Status {
    GYRE_ASSIGN_OR_RETURN(auto mesh,
                          gyre::Mesh::Create(world.comm(), {{"data", -1}}));
    GYRE_ASSIGN_OR_RETURN(
        auto order, gyre::Sampler::Create(mesh, {.samples = 256, .batch = 16}));
    gyre::FunctionSource data(order, Points);
    GYRE_ASSIGN_OR_RETURN(auto example, data.Load(0));
    GYRE_ASSIGN_OR_RETURN(
        auto step,
        gyre::TrainStep::Compile(
            {.mesh = mesh,
             .model =
                 [](gyre::Params& p, const gyre::BatchVars& b) {
                   return gyre::Mlp{{16, 1}}(p, b["x"]);
                 },
             .loss =
                 [](gyre::Var pred, const gyre::BatchVars& b) {
                   return mean(gyre::pointwise(Huber{0.5f}, pred, b["y"]));
                 },
             .optimizer = gyre::optim::Chain(gyre::optim::Guard{.max_norm = 1},
                                             gyre::optim::Adam(1e-2)),
             .example = example}));
    GYRE_ASSIGN_OR_RETURN(auto run, gyre::StartRun(mesh, "runs/consumer"));
    GYRE_ASSIGN_OR_RETURN(const auto summary,
                          gyre::RunTraining(*step, data, run, {.steps = 200}));
    if (world.rank() == 0) std::printf("loss %.6g\n", summary.last_loss);
    if (summary.last_loss < 0.01) return gyre::OkStatus();
    return gyre::InternalError("the loss did not fall: ", summary.last_loss);
  });
}
