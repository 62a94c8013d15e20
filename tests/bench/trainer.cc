#include "tests/bench/trainer.h"

#include <utility>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/check.h"
#include "gyre/core/rng.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/schedule.h"
#include "gyre/train/step/train_state.h"
#include "tests/bench/cpu_watch.h"
#include "tests/bench/memory_peak.h"
#include "tests/bench/roofline.h"

namespace gyre::internal::inline tests::bench {

Tensor RandomTensor(Shape shape, std::uint32_t stream) {
  Tensor tensor = Tensor::Zeros(std::move(shape));
  const Rng rng({.seed = 3, .step = 0, .stream = stream});
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.data<float>()[i] = rng.Normal(i);
  }
  return tensor;
}

Trainer MakeTrainer(ModelFunction model, LossFunction loss, SampleBatch batch) {
  ResetMemoryPeak();
  Trainer trainer;
  auto world = MakeSingleRank();
  GYRE_CHECK(world.ok(), Message(world.status()));
  trainer.world = *std::move(world);
  const auto mesh = Mesh::Create(*trainer.world, {{"data", -1}});
  GYRE_CHECK(mesh.ok(), Message(mesh.status()));
  auto step =
      TrainStep::Compile({.mesh = *mesh,
                          .model = std::move(model),
                          .loss = std::move(loss),
                          .optimizer = optim::Chain(optim::Guard{.max_norm = 1},
                                                    optim::AdamW(1e-3)),
                          .example = batch,
                          .seed = 1});
  GYRE_CHECK(step.ok(), Message(step.status()));
  trainer.step = *std::move(step);
  trainer.batch = std::move(batch);
  return trainer;
}

double TimeSteps(benchmark::State& state, Trainer& trainer) {
  const auto run = [&] {
    const auto report = trainer.step->Run(trainer.batch);
    GYRE_CHECK(report.ok() && report->applied, "a step failed");
  };
  run();  // pages and caches
  const CpuWatch watch;
  for (auto _ : state) run();
  const double seconds =
      watch.Seconds() / static_cast<double>(state.iterations());
  state.counters["peak_mb"] = MemoryPeak();
  return seconds;
}

double UpdateSeconds(const Trainer& trainer) {
  constexpr double kBytes = 7 * sizeof(float);
  return static_cast<double>(trainer.step->state().layout().used()) * kBytes /
         MemoryBandwidth();
}

}  // namespace gyre::internal::inline tests::bench
