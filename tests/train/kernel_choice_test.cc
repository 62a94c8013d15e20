// TrainSpec::kernels and TrainSpec::jit reach the plan.

#include <gtest/gtest.h>

#include <vector>

#include "gyre/autodiff/plan/plan.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

struct Trained {
  std::vector<double> losses;
  std::vector<float> parameters;
  PlanOptions options;
};

Trained Train(KernelSet kernels, bool jit) {
  Trained trained;
  const auto world = MakeSingleRank().value();
  const Mesh mesh = Mesh::Create(*world, {{"data", -1}}).value();
  LineSource source(0, 1);
  const auto step =
      TrainStep::Compile(
          {.mesh = mesh,
           .model =
               [](Params& p, const BatchVars& b) {
                 return Mlp{{64, 64, 1}}(p, b["x"]);
               },
           .loss = [](Var pred,
                      const BatchVars& b) { return mse(pred, b["y"]); },
           .optimizer = optim::Chain(optim::Guard{}, optim::Adam(3e-2)),
           .example = source.Load(0).value(),
           .seed = 4,
           .kernels = kernels,
           .jit = jit})
          .value();
  trained.options = step->program().plan().options();
  for (int i = 0; i < 10; ++i) {
    trained.losses.push_back(step->Run(source.Load(i).value()).value().loss);
  }
  const auto all = step->state().front().all();
  trained.parameters.assign(all.begin(), all.end());
  return trained;
}

TEST(KernelChoice, GeneratedAndInterpretedLoopsTrainToTheSameBits) {
  const Trained on = Train(KernelSet::kFast, true);
  const Trained off = Train(KernelSet::kFast, false);
  EXPECT_EQ(on.options.generates_code(), JitAvailable());
  EXPECT_FALSE(off.options.generates_code());
  EXPECT_EQ(on.losses, off.losses);
  EXPECT_EQ(on.parameters, off.parameters);
}

TEST(KernelChoice, ReferenceKernelsTrainAlike) {
  const Trained fast = Train(KernelSet::kFast, true);
  const Trained plain = Train(KernelSet::kReference, true);
  EXPECT_EQ(plain.options.kernels, KernelSet::kReference);
  EXPECT_FALSE(plain.options.generates_code());
  for (std::size_t i = 0; i < fast.losses.size(); ++i) {
    EXPECT_NEAR(plain.losses[i], fast.losses[i], 1e-3 * fast.losses[0]) << i;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
