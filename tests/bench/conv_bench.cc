// Steps of convolution networks on weather grids. The roofline is that of a
// product with as many operations as the convolutions.

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/models/layers.h"
#include "gyre/models/losses.h"
#include "tests/bench/roofline.h"
#include "tests/bench/trainer.h"

namespace gyre::internal::inline tests::bench {
namespace {

struct Grid {
  std::int64_t batch, fields, hidden, rows, columns;
};

Var Network(Params& p, Var x, const Grid& grid) {
  x = relu(conv(p, "in", x, grid.hidden));
  x = relu(conv(p, "mid", x, grid.hidden));
  return conv(p, "out", x, grid.fields);
}

// Multiplications and additions of a step: 3x3 kernels, forward and two
// backward but for the gradient of the batch.
double Flops(const Grid& g) {
  const double points = static_cast<double>(g.batch * g.rows * g.columns);
  const double kernel = 2.0 * 9 * points;
  return kernel * g.fields * g.hidden * 2 + kernel * g.hidden * g.hidden * 3 +
         kernel * g.hidden * g.fields * 3;
}

void Run(benchmark::State& state, const Grid& grid) {
  const Shape shape({grid.batch, grid.fields, grid.rows, grid.columns});
  SampleBatch data;
  data.tensors = {{"x", RandomTensor(shape, 0)}, {"y", RandomTensor(shape, 1)}};
  Trainer trainer = MakeTrainer(
      [grid](Params& p, const BatchVars& b) {
        return Network(p, b["x"], grid);
      },
      [](Var pred, const BatchVars& b) { return mse(pred, b["y"]); },
      std::move(data));
  const double seconds = TimeSteps(state, trainer);
  constexpr double kSide = 512;
  const double rate =
      2 * kSide * kSide * kSide / GemmSeconds(kSide, kSide, kSide);
  ReportRoofline(state, seconds, Flops(grid) / rate);
}

void ConvStorm(benchmark::State& state) { Run(state, {64, 6, 32, 33, 36}); }
void ConvGlobe(benchmark::State& state) { Run(state, {1, 6, 16, 721, 1440}); }
BENCHMARK(ConvStorm)->Unit(benchmark::kMillisecond);
BENCHMARK(ConvGlobe)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gyre::internal::inline tests::bench
