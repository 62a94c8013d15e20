// A custom loss with its gradient, written as a functor and as traced
// operations; and a chain of eight operations beside the same loop by hand.

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/vjp.h"
#include "tests/bench/replay.h"
#include "tests/bench/roofline.h"
#include "tests/bench/trainer.h"

namespace gyre::internal::inline tests::bench {
namespace {

constexpr std::int64_t kCount = std::int64_t{1} << 20;

// A robust loss with a logarithm, asymmetric: misses cost more than alarms.
struct StormLoss {
  template <class T>
  T operator()(const T& pred, const T& target) const {
    const T e = pred - target;
    const T loss = math::log(1.0f + e * e);
    return math::select(e < 0.0f, 2.0f * loss, loss);
  }
};

Var TracedLoss(Var pred, Var target) {
  const Var e = pred - target;
  const Var loss = log(1.0 + e * e);
  return select(e < 0.0, 2.0 * loss, loss);
}

template <class Loss>
void RunLoss(benchmark::State& state, Loss loss) {
  Tape tape;
  const Var pred = tape.Input("pred", {{kCount}, DType::kF32, 0});
  const Var target = tape.Input("target", {{kCount}, DType::kF32, 0});
  const Var value = mean(loss(pred, target));
  const auto executor =
      Compile(tape, {value, Gradients(value, std::vector<Var>{pred})[0]});
  Tensor a = RandomTensor({kCount}, 0), b = RandomTensor({kCount}, 1);
  executor->Bind(0, a.raw());
  executor->Bind(1, b.raw());
  const double seconds = TimeRuns(state, *executor);
  ReportRoofline(
      state, seconds, 3.0 * kCount * sizeof(float) / MemoryBandwidth());
}

void PointwiseLoss(benchmark::State& state) {
  RunLoss(state, [](Var a, Var b) { return pointwise(StormLoss{}, a, b); });
}
void PointwiseLossTraced(benchmark::State& state) {
  RunLoss(state, &TracedLoss);
}
BENCHMARK(PointwiseLoss)->Unit(benchmark::kMicrosecond);
BENCHMARK(PointwiseLossTraced)->Unit(benchmark::kMicrosecond);

// Eight operations: the same expression for numbers, vectors and Vars.
template <class T>
T Chain(const T& x, const T& y, const T& s, const T& floor) {
  const T a = x * y + s;
  const T b = a * a - x;
  return math::max(b * y, floor) + a * s;
}

void RunChain(benchmark::State& state, const PlanOptions& options) {
  Tape tape;
  const Var x = tape.Input("x", {{kCount}, DType::kF32, 0});
  const Var y = tape.Input("y", {{kCount}, DType::kF32, 0});
  const Var s = tape.Input("s", {{}, DType::kF32, 0});
  const Var a = x * y + s;
  const Var b = a * a - x;
  const auto executor = Compile(tape, {maximum(b * y, 0.25) + a * s}, options);
  Tensor in_x = RandomTensor({kCount}, 0), in_y = RandomTensor({kCount}, 1);
  Tensor in_s = Tensor::Of<float>({}, {1.5f});
  executor->Bind(0, in_x.raw());
  executor->Bind(1, in_y.raw());
  executor->Bind(2, in_s.raw());
  const double seconds = TimeRuns(state, *executor);
  ReportRoofline(
      state, seconds, 3.0 * kCount * sizeof(float) / MemoryBandwidth());
}

void ChainGenerated(benchmark::State& state) { RunChain(state, {}); }
void ChainInterpreted(benchmark::State& state) {
  RunChain(state, {.jit = false});
}
void ChainUnfused(benchmark::State& state) { RunChain(state, {.fuse = false}); }
void ChainByHand(benchmark::State& state) {
  const Tensor x = RandomTensor({kCount}, 0), y = RandomTensor({kCount}, 1);
  Tensor out = Tensor::Zeros({kCount});
  const FloatBatch s(1.5f), floor(0.25f);
  const float* px = x.data<float>().data();
  const float* py = y.data<float>().data();
  float* to = out.data<float>().data();
  for (auto _ : state) {
    for (std::int64_t i = 0; i < kCount; i += kLanes<float>) {
      Store(to + i, Chain(Load(px + i), Load(py + i), s, floor));
    }
    benchmark::ClobberMemory();
  }
}
BENCHMARK(ChainByHand)->Unit(benchmark::kMicrosecond);
BENCHMARK(ChainGenerated)->Unit(benchmark::kMicrosecond);
BENCHMARK(ChainInterpreted)->Unit(benchmark::kMicrosecond);
BENCHMARK(ChainUnfused)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gyre::internal::inline tests::bench
