// Steps of multilayer perceptrons: forward, backward, clip, AdamW.

#include <vector>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/models/losses.h"
#include "gyre/models/mlp.h"
#include "tests/bench/roofline.h"
#include "tests/bench/trainer.h"

namespace gyre::internal::inline tests::bench {
namespace {

Trainer MlpTrainer(std::int64_t batch,
                   std::int64_t in,
                   const std::vector<std::int64_t>& widths) {
  SampleBatch data;
  data.tensors = {{"x", RandomTensor({batch, in}, 0)},
                  {"y", RandomTensor({batch, widths.back()}, 1)}};
  return MakeTrainer(
      [widths](Params& p, const BatchVars& b) {
        return Mlp{widths}(p, b["x"]);
      },
      [](Var pred, const BatchVars& b) { return mse(pred, b["y"]); },
      std::move(data));
}

// One product forward and two backward for each layer, without the gradient
// of the batch itself.
double ProductSeconds(std::int64_t batch,
                      std::int64_t in,
                      const std::vector<std::int64_t>& widths) {
  double seconds = 0;
  bool first = true;
  for (const std::int64_t out : widths) {
    seconds += GemmSeconds(batch, in, out) + GemmSeconds(in, batch, out);
    if (!first) seconds += GemmSeconds(batch, out, in);
    first = false;
    in = out;
  }
  return seconds;
}

void Run(benchmark::State& state,
         std::int64_t batch,
         std::int64_t in,
         const std::vector<std::int64_t>& widths) {
  Trainer trainer = MlpTrainer(batch, in, widths);
  const double seconds = TimeSteps(state, trainer);
  ReportRoofline(state,
                 seconds,
                 ProductSeconds(batch, in, widths) + UpdateSeconds(trainer));
}

void MlpSmall(benchmark::State& state) { Run(state, 32, 64, {64, 64, 64}); }
void MlpLarge(benchmark::State& state) {
  Run(state, 256, 1024, {1024, 1024, 1024, 1024, 1024});
}
BENCHMARK(MlpSmall)->Unit(benchmark::kMicrosecond);
BENCHMARK(MlpLarge)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gyre::internal::inline tests::bench
