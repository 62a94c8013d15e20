// A file that PyTorch has written gives PyTorch's numbers, and comes back as
// it was. tests/golden/train/make_torch_weights.py made both.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/safetensors.h"
#include "gyre/models/batch_norm.h"
#include "gyre/models/layers.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/chain.h"
#include "gyre/train/checkpoint/weights.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

// PyTorch 2.15.
constexpr float kOutputs[] = {-0.0686772093f,
                              0.0142420828f,
                              0.249918252f,
                              0.259977043f,
                              0.042984549f,
                              0.151021749f};

std::string TorchFile() {
  return std::string(GYRE_SOURCE_DIR) +
         "/tests/golden/train/torch_mlp.safetensors";
}

WeightMap TorchNames() {
  return {.names = {{"conv.w", "0.weight"},
                    {"conv.b", "0.bias"},
                    {"norm.gain", "2.weight"},
                    {"norm.bias", "2.bias"},
                    {"norm.mean", "2.running_mean"},
                    {"norm.var", "2.running_var"},
                    {"hidden.w", "4.weight"},
                    {"hidden.b", "4.bias"},
                    {"out.w", "6.weight"},
                    {"out.b", "6.bias"}},
          .transposed = [](std::string_view name) {
            return name == "hidden.w" || name == "out.w";
          }};
}

Var Network(Params& params, const BatchVars& b) {
  Var h = tanh(conv(params, "conv", b["x"], 3));
  h = batch_norm(params, "norm", h);
  h = tanh(linear(params, "hidden", reshape(h, {h.shape()[0], -1}), 6));
  return linear(params, "out", h, 2);
}

TEST(TorchWeights, GivePyTorchsOutputsAndComeBack) {
  SampleBatch batch;
  batch.tensors["x"] = Tensor::Zeros({3, 2, 4, 5});
  for (int i = 0; i < 120; ++i) {
    batch.tensors["x"].data<float>()[i] =
        std::sin(static_cast<float>(i) * 0.37f);
  }
  const TempDir dir;
  const std::string back = dir.path() + "/back.safetensors";
  LocalWorld world(2);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
    const TrainSpec spec = {
        .mesh = mesh,
        .model = Network,
        .loss = [](Var pred, const BatchVars&) { return mean(square(pred)); },
        .optimizer = optim::Chain(optim::Guard{}, optim::Adam(1e-3)),
        .example = batch,
        .checks = {.samples = false}};
    GYRE_ASSIGN_OR_RETURN(const auto step, TrainStep::Compile(spec));
    GYRE_ASSIGN_OR_RETURN(const WeightReport report,
                          LoadWeights(TorchFile(), *step, TorchNames()));
    EXPECT_EQ(report.Describe(),
              "10 of 10 tensors loaded; not used of the file: "
              "2.num_batches_tracked");
    GYRE_ASSIGN_OR_RETURN(const Tensor y, step->Predict(batch));
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(y.data<float>()[i], kOutputs[i], 1e-6) << i;
    }
    return SaveWeights(back, *step, {.map = TorchNames()});
  });
  ASSERT_TRUE(status.ok()) << Message(status);
  const auto first = ReadSafetensors(TorchFile());
  const auto second = ReadSafetensors(back);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(second->tensors.size(), 10u);
  for (const auto& [name, tensor] : second->tensors) {
    const Tensor& was = first->tensors.at(name);
    EXPECT_EQ(was.shape(), tensor.shape()) << name;
    EXPECT_EQ(
        std::string_view(reinterpret_cast<const char*>(was.raw()), was.bytes()),
        std::string_view(reinterpret_cast<const char*>(tensor.raw()),
                         tensor.bytes()))
        << name;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
