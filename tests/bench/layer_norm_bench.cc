// Layer norm with gain and bias, and its three gradients.

#include "gyre/autodiff/ops/norm_layers.h"
#include "gyre/autodiff/vjp.h"
#include "tests/bench/replay.h"
#include "tests/bench/roofline.h"
#include "tests/bench/trainer.h"

namespace gyre::internal::inline tests::bench {
namespace {

constexpr std::int64_t kRows = 16384, kWidth = 256;

// Reads x and writes y, then reads x and dy and writes dx.
constexpr double kBytes = 5.0 * kRows * kWidth * sizeof(float);

void LayerNorm(benchmark::State& state) {
  const Shape rows({kRows, kWidth}), row({kWidth});
  const std::vector<Shape> shapes = {rows, row, row, rows};
  Tape tape;
  std::vector<Var> in;
  std::vector<Tensor> data;
  for (const Shape& shape : shapes) {
    const auto i = static_cast<int>(in.size());
    in.push_back(tape.Input(Cat("in", i), {shape, DType::kF32, 0}));
    data.push_back(RandomTensor(shape, i));
  }
  const Var y = layer_norm(in[0], {.gain = in[1], .bias = in[2]});
  std::vector<Var> results =
      Vjp(std::vector{y}, std::vector{in[3]}, std::span(in).first(3));
  results.push_back(y);
  const auto executor = Compile(tape, results);
  for (int i = 0; i < 4; ++i) executor->Bind(i, data[i].raw());
  ReportRoofline(state, TimeRuns(state, *executor), kBytes / MemoryBandwidth());
}
BENCHMARK(LayerNorm)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gyre::internal::inline tests::bench
