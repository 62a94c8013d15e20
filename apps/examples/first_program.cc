// A custom loss from end to end; README.md shows it.

#include <gyre/gyre.h>

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

int main() {
  return RunMain([](World& world) {
    return Train(
        world,
        {.data = FunctionDataset({.samples = 256, .batch = 16}, Points),
         .model =
             [](Params& p, const BatchVars& b) {
               return 1.0 + Mlp{{16, 1}}(p, b["x"]);
             },
         .loss = LogLoss,
         .optimizer =
             optim::Chain(optim::Guard{.max_norm = 1}, optim::Adam(1e-2)),
         .run = {.directory = "runs/first", .steps = 300}});
  });
}
