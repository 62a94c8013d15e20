// Validation, early stopping, the best checkpoint, a hook: see docs/run.md.

#include <gyre/gyre.h>

using namespace gyre;

struct Pinball {
  float q = 0.5f;
  template <class T>
  T operator()(const T& pred, const T& target) const {
    const T e = target - pred;
    return math::max(q * e, (q - 1.0f) * e);
  }
};

Var Model(Params& p, const BatchVars& b) { return Mlp{{16, 1}}(p, b["x"]); }

Var Loss(Var pred, const BatchVars& b) {
  return mean(pointwise(Pinball{0.9f}, pred, b["y"]));
}

// Days of a sine whose noise grows with the temperature.
std::map<std::string, Tensor> Days(std::span<const std::int64_t> ids) {
  Tensor x = Tensor::Zeros({std::ssize(ids), 1}), y = x.Clone();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Rng noise({.seed = 3, .step = static_cast<std::uint64_t>(ids[i])});
    const float t = x.data<float>()[i] = ids[i] % 360 / 180.0f - 1;
    y.data<float>()[i] = t * t + 0.2f * (1 + t) * noise.Normal(0);
  }
  return {{"x", x}, {"y", y}};
}

// The share of days below the prediction, which the loss wants to be 0.9.
double Coverage(const Tensor& pred, const SampleBatch& b) {
  const auto p = pred.data<float>(), y = b.tensors.at("y").data<float>();
  double below = 0;
  for (std::size_t i = 0; i < p.size(); ++i) below += y[i] < p[i];
  return below / p.size();
}

Status TrainIt(World& world) {
  const SampleSet validation = {.samples = 90, .batch = 32, .load = Days};
  return Train(
      world,
      {.data = FunctionDataset({.samples = 480, .batch = 32}, Days),
       .model = Model,
       .loss = Loss,
       .optimizer = optim::Chain(optim::Guard{}, optim::Adam(1e-2)),
       .run = {.directory = "runs/validated",
               .steps = 1000,
               .hooks = {Evaluate{.every = 50,
                                  .data = validation,
                                  .metrics = {{"coverage", Coverage}}},
                         BestCheckpoint{},
                         EarlyStopping{.patience = 3},
                         Callback([](HookContext& run, const StepRecord& r) {
                           run.metrics().Set("mean_loss", r.report.loss / 0.9);
                         })}}});
}

int main() { return RunMain(TrainIt); }
