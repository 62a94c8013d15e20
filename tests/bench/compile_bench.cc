// How long a user waits before the first step.

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/check.h"
#include "gyre/models/losses.h"
#include "gyre/models/mlp.h"
#include "tests/bench/trainer.h"

namespace gyre::internal::inline tests::bench {
namespace {

// At least `operations` of a network and its gradient.
std::vector<Var> Record(Tape& tape, std::size_t operations) {
  Var x = tape.Input("x", {{32, 64}, DType::kF32, 0});
  std::vector<Var> weights;
  Var h = x;
  for (int i = 0; tape.nodes().size() < operations / 3; ++i) {
    weights.push_back(tape.Input(Cat("w", i), {{64, 64}, DType::kF32, 0}));
    h = h + tanh(matmul(h, weights.back())) * sigmoid(h - mean(h, {1}, true));
  }
  const Var loss = mean(square(h));
  std::vector<Var> results = Gradients(loss, weights);
  results.push_back(loss);
  return results;
}

void Compile(benchmark::State& state) {
  Tape tape;
  const std::vector<Var> results = Record(tape, state.range(0));
  for (auto _ : state) {
    const auto plan = Plan::Compile(tape, results);
    GYRE_CHECK(plan.ok(), Message(plan.status()));
  }
  state.counters["operations"] = static_cast<double>(tape.nodes().size());
}

// The same with all kernels made.
void CompileAndPrepare(benchmark::State& state) {
  Tape tape;
  const std::vector<Var> results = Record(tape, state.range(0));
  for (auto _ : state) {
    const auto plan = Plan::Compile(tape, results);
    GYRE_CHECK(plan.ok(), Message(plan.status()));
    GYRE_CHECK(Executor::Create(*plan).ok());
  }
  state.counters["operations"] = static_cast<double>(tape.nodes().size());
}

// Trace, compile and run one step of the small network.
void FirstStep(benchmark::State& state) {
  SampleBatch data;
  data.tensors = {{"x", RandomTensor({32, 64}, 0)},
                  {"y", RandomTensor({32, 64}, 1)}};
  for (auto _ : state) {
    Trainer trainer = MakeTrainer(
        [](Params& p, const BatchVars& b) {
          return Mlp{{64, 64, 64}}(p, b["x"]);
        },
        [](Var pred, const BatchVars& b) { return mse(pred, b["y"]); },
        data);
    GYRE_CHECK(trainer.step->Run(trainer.batch).ok());
  }
}

BENCHMARK(Compile)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);
BENCHMARK(CompileAndPrepare)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(FirstStep)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gyre::internal::inline tests::bench
