// Trains a small network with the loss of loss.h.
//
//   my_project                          # alone
//   gyre launch -n 2 -- my_project      # the same on two processes

#include <gyre/gyre.h>

#include <cstdio>

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

int main() {
  return RunMain([](World& world) {
    return Train(
        world,
        {.data = FunctionDataset({.samples = 256, .batch = 16}, Points),
         .model = Model,
         .loss = Loss,
         .optimizer =
             optim::Chain(optim::Guard{.max_norm = 1}, optim::Adam(1e-2)),
         .run = {.directory = "runs/my_project", .steps = 300}});
  });
}
