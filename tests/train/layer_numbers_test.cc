#include "gyre/train/step/layer_numbers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gyre/collectives/local/local_world.h"
#include "gyre/optim/norm.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/train_state.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

double RootOfSquares(const Json& numbers) {
  double sum = 0;
  for (const auto& [name, value] : numbers.members()) {
    sum += *value.AsDouble() * *value.AsDouble();
  }
  return std::sqrt(sum);
}

void RunOneStep(
    const LineOptions& options,
    const std::function<void(TrainStep&, const StepReport&)>& look) {
  LocalWorld world(2);
  const Status ran = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), comm.size());
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    look(*step, report);
    return OkStatus();
  });
  EXPECT_TRUE(ran.ok()) << ran;
}

TEST(LayerNumbers, NormsMakeUpTheStepsNorm) {
  for (const int parts : {1, 2}) {
    RunOneStep({.micro_batches = parts}, [](TrainStep& step, const auto& r) {
      const Json numbers = LayerNumbers(step, r);
      const Json& norms = *numbers.Find("grad_norm");
      EXPECT_EQ(norms.members().size(), 4u);
      EXPECT_NEAR(RootOfSquares(norms), r.verdict.norm, 1e-6 * r.verdict.norm);
      for (const auto& [name, norm] : norms.members()) {
        const double largest = *numbers.Find("grad_max")->GetDouble(name);
        EXPECT_LE(largest, *norm.AsDouble() * (1 + 1e-6)) << name;
        EXPECT_GT(largest, 0) << name;
      }
    });
  }
}

TEST(LayerNumbers, ALossScaleIsTakenOutAgain) {
  const LineOptions options = {.guard = {.loss_scale = {.initial = 1024}}};
  RunOneStep(options, [](TrainStep& step, const auto& r) {
    EXPECT_NEAR(RootOfSquares(*LayerNumbers(step, r).Find("grad_norm")),
                r.verdict.norm,
                1e-6 * r.verdict.norm);
    EXPECT_NEAR(RootOfSquares(*LocalLayerNumbers(step, r).Find("local_norm")),
                step.last().findings->Norm() / 1024,
                1e-6);
  });
}

// Adam's first step changes each number by the learning rate, 0.03.
TEST(LayerNumbers, TheUpdateRatioIsOfWhatWasThereBefore) {
  RunOneStep({}, [](TrainStep& step, const auto& r) {
    const Json numbers = LayerNumbers(step, r);
    const Json& ratios = *numbers.Find("update_ratio");
    const std::string name = step.state().layout()[0].name;
    const auto& slot = step.state().layout()[0];
    const double before = optim::GlobalNorm(
        step.state().back().params() + slot.offset, slot.size);
    EXPECT_NEAR(*ratios.GetDouble(name) * before,
                0.03 * std::sqrt(static_cast<double>(slot.size)),
                1e-3);
    // Biases begin at 0, and have no ratio.
    EXPECT_EQ(ratios.members().size(), 2u) << ratios.Dump();
    // Adam's two moments.
    int moments = 0;
    for (const auto& [key, value] : numbers.members()) {
      if (key == "grad_norm" || key == "param_norm") continue;
      moments += key.ends_with("_norm");
    }
    EXPECT_EQ(moments, 2) << numbers.Dump();
  });
}

TEST(LayerNumbers, AStepThatWasSkippedHasNoUpdate) {
  RunOneStep({.inject = "nan_grad@rank=1,step=0"},
             [](TrainStep& step, const auto& r) {
               EXPECT_FALSE(r.applied);
               EXPECT_EQ(LayerNumbers(step, r).Find("update_ratio"), nullptr);
             });
}

TEST(LayerNumbers, RanksHaveNormsOfTheirOwn) {
  double norms[2] = {};
  RunOneStep({}, [&](TrainStep& step, const auto& r) {
    norms[step.mesh().rank()] =
        RootOfSquares(*LocalLayerNumbers(step, r).Find("local_norm"));
    EXPECT_NEAR(norms[step.mesh().rank()], step.last().findings->Norm(), 1e-9);
  });
  EXPECT_NE(norms[0], norms[1]);
}

TEST(LayerNumbers, ActivationsOnlyWhereTheyAreWatched) {
  RunOneStep({}, [](TrainStep& step, const auto&) {
    EXPECT_TRUE(ActivationNumbers(step).members().empty());
  });
  std::uint64_t hash[2] = {};
  for (const bool watch : {false, true}) {
    RunOneStep({.watch_activations = watch}, [&](TrainStep& step, const auto&) {
      if (step.mesh().rank() == 0) hash[watch] = HashState(step.state()).common;
      if (!watch) return;
      const Json numbers = ActivationNumbers(step);
      ASSERT_EQ(numbers.Find("act_norm")->members().size(), 2u);
      for (const auto& [name, norm] : numbers.Find("act_norm")->members()) {
        EXPECT_GT(*norm.AsDouble(), 0) << name;
        EXPECT_GE(*numbers.Find("act_max")->GetDouble(name), *norm.AsDouble());
      }
    });
  }
  EXPECT_EQ(hash[0], hash[1]);  // looking changes nothing
}

}  // namespace
}  // namespace gyre::internal::inline tests
