// Softmax of rows, and its gradient.

#include "gyre/autodiff/ops/softmax.h"
#include "gyre/autodiff/vjp.h"
#include "tests/bench/replay.h"
#include "tests/bench/roofline.h"
#include "tests/bench/trainer.h"

namespace gyre::internal::inline tests::bench {
namespace {

// The scores of a transformer block of 8 samples, 8 heads and 256 tokens.
constexpr std::int64_t kRows = 16384, kWidth = 256;

// Reads x and writes y, then reads y and dy and writes dx.
constexpr double kBytes = 5.0 * kRows * kWidth * sizeof(float);

void Softmax(benchmark::State& state) {
  const Shape shape({kRows, kWidth});
  Tape tape;
  const Var x = tape.Input("x", {shape, DType::kF32, 0});
  const Var dy = tape.Input("dy", {shape, DType::kF32, 0});
  const Var y = softmax(x);
  std::vector<Var> results =
      Vjp(std::vector{y}, std::vector{dy}, std::vector{x});
  results.push_back(y);
  const auto executor = Compile(tape, results);
  Tensor in_x = RandomTensor(shape, 0), in_dy = RandomTensor(shape, 1);
  executor->Bind(0, in_x.raw());
  executor->Bind(1, in_dy.raw());
  ReportRoofline(state, TimeRuns(state, *executor), kBytes / MemoryBandwidth());
}
BENCHMARK(Softmax)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gyre::internal::inline tests::bench
